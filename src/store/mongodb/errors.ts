import { MongoError, MongoErrorLabel, MongoServerError } from 'mongodb';
import { Refusal } from '../../errors/refusal.ts';
import { DuplicateKey, OutcomeUnknown } from '../store.ts';
import { indexName, type Table } from '../table.ts';

const duplicateKeyCode = 11000;

/** The columns of the index that the server names. */
function duplicateKey(error: MongoServerError, t: Table): DuplicateKey {
  const name = /index: (\S+)/.exec(error.message)?.[1];
  const index = t.indexes.find((i) => indexName(t.name, i) === name);
  return new DuplicateKey(t.name, index?.columns ?? t.key);
}

/** An error of one operation: a duplicate key gets its name, anything else stays for the driver's retries. */
export function operationError(error: unknown, t: Table): unknown {
  return error instanceof MongoServerError && error.code === duplicateKeyCode
    ? duplicateKey(error, t)
    : error;
}

/** What is left of a failure of the server or the network once the driver has given up. */
export function translated(error: unknown): unknown {
  return error instanceof MongoError ? storeFault(error) : error;
}

/** The same of a commit that was sent: unless the server says that it was none, it may have been one. */
export function commitError(error: unknown): unknown {
  if (!(error instanceof MongoError)) return error;
  const wasNone = error.hasErrorLabel(MongoErrorLabel.TransientTransactionError);
  return wasNone ? storeFault(error) : new OutcomeUnknown(storeFault(error));
}

function storeFault(error: MongoError): Refusal {
  return new Refusal('STORE_UNAVAILABLE', 'MongoDB cannot be reached or refuses this at the moment.', {
    cause: error.message.slice(0, 300),
  });
}

export function requiresReplicaSet(): Refusal {
  return new Refusal(
    'STORE_UNAVAILABLE',
    'This MongoDB has no transactions: it must be a replica set, of one node at least. Start mongod with ' +
      '--replSet rs0, run rs.initiate() once in mongosh, and add ?replicaSet=rs0 to the address.',
  );
}
