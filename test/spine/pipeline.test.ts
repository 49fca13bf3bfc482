import t from 'tap';
import { run } from './pipeline-contract.ts';

run(t, () => ({}));
