/** A message that came. */
export interface Incoming {
  readonly subject: string;
  readonly data: Uint8Array;
  /** Where an answer is awaited; empty where none is. */
  readonly reply: string;
  header(name: string): string;
}
