/** The text files of a model, wherever they are. */
export interface ModelFiles {
  /** The folder or the address, for messages. */
  readonly place: string;
  /** The full name of a file, for messages. */
  nameOf(file: string): string;
  /** The text of a file; undefined if there is none. */
  text(file: string): Promise<string | undefined>;
}
