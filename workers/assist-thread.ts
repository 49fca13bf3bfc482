import { assistTeam, type Team } from './team.ts';

// Entry of a thread that helps with runs of others, one at a time.

export interface AssistTask {
  readonly team: Team;
  readonly seat: number;
}

export default function assist({ team, seat }: AssistTask): void {
  assistTeam(team, seat);
}
