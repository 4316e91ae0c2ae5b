import { leadingTrivia } from './declaration.js';

/** A doc comment, taken apart. */
export interface Documentation {
  /** The text before the first tag. */
  readonly text: string;
  readonly examples: readonly string[];
}

/** The doc comment in front of a position. */
export function documentationOf(text: string, position: number): Documentation {
  const comments = docComments(leadingTrivia(text, position));
  const own = comments.findLast((comment) => !/^@module\b/m.test(comment)) ?? '';
  const [description, ...tags] = own.split(/^(?=@)/m);
  return {
    text: description.trim(),
    examples: tags.flatMap((tag) =>
      tag.startsWith('@example') ? [tag.slice('@example'.length).trim()] : [],
    ),
  };
}

/** The comment that describes a whole file. */
export function moduleDocumentation(text: string): string {
  const comment = docComments(leadingTrivia(text, 0)).find((comment) => /^@module\b/m.test(comment)) ?? '';
  return comment.split(/^(?=@)/m)[0].trim();
}

/** Doc comments without their stars. */
function docComments(trivia: string): string[] {
  return [...trivia.matchAll(/\/\*\*([\s\S]*?)\*\//g)].map(([, body]) =>
    body.replace(/^[ \t]*\* ?/gm, '').trim(),
  );
}
