import t from 'tap';
import { flow } from '../../src/solvers/flow.ts';
import { refused } from './refusals/flow.ts';
import { testSolver } from './solver-test.ts';

t.setTimeout(240_000);
testSolver(flow, { references: [], refused });
