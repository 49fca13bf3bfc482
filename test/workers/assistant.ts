import { parentPort, workerData } from 'node:worker_threads';
import { assistTeam, type Team } from '../../workers/team.ts';

// A thread that assists one run, from before it begins.

const { team, seat } = workerData as { team: Team; seat: number };
parentPort!.postMessage('here');
assistTeam(team, seat);
