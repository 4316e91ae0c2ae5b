import type { ClassDeclaration, Node } from 'typescript/unstable/ast';
import { SyntaxKind } from 'typescript/unstable/ast';
import {
  isClassDeclaration,
  isExpressionWithTypeArguments,
  isIdentifier,
  isPrivateIdentifier,
  isQualifiedName,
  isTypeQueryNode,
  isTypeReferenceNode,
} from 'typescript/unstable/ast/is';

/** The statement at the top of its file that a declaration is part of. */
export function statementOf(node: Node): Node {
  let statement = node;
  while (statement.parent && statement.parent.kind !== SyntaxKind.SourceFile) statement = statement.parent;
  return statement;
}

/** A declaration as its readers need it: without its own comment, `export`, `declare` and what is private. */
export function declarationText(text: string, statement: Node): string {
  const start = statement.pos + leadingTrivia(text, statement.pos).length;
  const cuts = isClassDeclaration(statement) ? privateMembers(statement) : [];
  let [declaration, at] = ['', start];
  for (const { pos, end } of cuts) {
    declaration += text.slice(at, pos);
    at = end;
  }
  declaration += text.slice(at, statement.end);
  return declaration.replace(/^export (default )?/, '').replace(/\{@link ([^}]+)\}/g, '$1');
}

/** White space and comments before a node. */
export function leadingTrivia(text: string, position: number): string {
  return /^(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/.exec(text.slice(position))![0];
}

/** Properties that most kinds of class members have and their common type leaves out. */
interface NamedMember {
  readonly name: Node;
  readonly modifiers: readonly Node[];
}

function privateMembers({ members }: ClassDeclaration): readonly Node[] {
  return members.filter((member: Node & Partial<NamedMember>) => {
    if (member.name && isPrivateIdentifier(member.name)) return true;
    // A private constructor is kept: it shows that `new` cannot be used.
    if (member.kind === SyntaxKind.Constructor) return false;
    return member.modifiers?.some(({ kind }) => kind === SyntaxKind.PrivateKeyword) ?? false;
  });
}

/** The names in a declaration that stand for types, except in what is private. */
export function mentionedNames(statement: Node): Node[] {
  const names: Node[] = [];
  const hidden = new Set(isClassDeclaration(statement) ? privateMembers(statement) : []);
  const visit = (node: Node): void => {
    if (hidden.has(node)) return;
    if (isTypeReferenceNode(node)) names.push(leftmost(node.typeName));
    else if (isExpressionWithTypeArguments(node)) names.push(leftmost(node.expression));
    else if (isTypeQueryNode(node)) names.push(leftmost(node.exprName));
    node.forEachChild((child) => visit(child));
  };
  visit(statement);
  return names.filter(isIdentifier);
}

/** Of `a.b.c`, `a`. */
function leftmost(name: Node): Node {
  return isQualifiedName(name) ? leftmost(name.left) : name;
}
