import { Refusal } from '../../errors/refusal.ts';
import { DuplicateKey } from '../store.ts';

/** Primary result codes of SQLite (sqlite.org/rescode.html) that the world can cause. */
const sentences = new Map<number, string>([
  [5, 'Another process has held the store for too long.'],
  [8, 'The store can only be read: check the rights of the data folder and its file system.'],
  [10, 'Reading or writing the store failed: check the disk.'],
  [11, 'The store file is damaged; restore a backup.'],
  [13, 'The disk or the size allowed to the store is full; nothing was written.'],
  [14, 'The store file cannot be opened: check the path and its rights.'],
  [26, 'The file in the place of the store is not one.'],
]);

interface SqliteError extends Error {
  code: string;
  rawCode: number;
}

function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && typeof (error as SqliteError).rawCode === 'number';
}

/** What the library throws where it cannot open a file: SQLite's code is only in its text. */
function openingCode(error: unknown): number | undefined {
  const code = error instanceof Error && /^ConnectionFailed\(.*: (\d+)"?\)$/s.exec(error.message)?.[1];
  return code ? Number(code) : undefined;
}

/** Whether another process holds the lock at the moment. */
export function isBusy(error: unknown): boolean {
  return isSqliteError(error) && (error.rawCode & 0xff) === 5;
}

/** SQLite names `table.column` for each column of the index. */
function duplicateKey(message: string): DuplicateKey | undefined {
  const list = /UNIQUE constraint failed: (.+)$/.exec(message)?.[1]?.split(', ');
  if (list === undefined) return undefined;
  const columns = list.map((name) => name.slice(name.indexOf('.') + 1));
  return new DuplicateKey(list[0]!.slice(0, list[0]!.indexOf('.')), columns);
}

/** What a failure of SQLite means to the caller; anything that only a mistake of ours can cause stays as it is. */
export function translated(error: unknown): unknown {
  const opening = openingCode(error);
  if (opening !== undefined)
    return new Refusal('STORE_UNAVAILABLE', sentences.get(opening & 0xff) ?? sentences.get(14)!, {
      cause: `SQLITE ${opening}`,
    });
  if (!isSqliteError(error)) return error;
  const duplicate = duplicateKey(error.message);
  if (duplicate) return duplicate;
  const sentence = sentences.get(error.rawCode & 0xff);
  return sentence ? new Refusal('STORE_UNAVAILABLE', sentence, { cause: error.code }) : error;
}
