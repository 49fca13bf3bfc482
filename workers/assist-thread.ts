import { collectMemories, joinTeam, type Team } from './team.ts';

// Entry of a thread that helps with runs of others, one at a time.

export interface AssistTask {
  readonly team: Team;
  readonly seat: number;
}

export default function assist({ team, seat }: AssistTask): void {
  collectMemories();
  enter(team)?.assist(seat);
}

/** Where there is no room for an instance the others go on without this one. */
function enter(team: Team) {
  try {
    return joinTeam(team);
  } catch {
    return undefined;
  }
}
