import { parentPort, workerData } from 'node:worker_threads';
import { joinTeam, type Team } from '../../workers/team.ts';

// A thread that assists one run, from before it begins.

const { team, seat } = workerData as { team: Team; seat: number };
parentPort!.postMessage('here');
joinTeam(team).assist(seat);
