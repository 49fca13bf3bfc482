import t from 'tap';
import { run } from './pipeline-contract.ts';
import { run as runShared } from './shared-store-contract.ts';

run(t, () => ({}));
runShared(t, () => ({}));
