/** The work queue as a contributor sees it: names of runs that have segments to run, each to one node at a time. */
export interface JobSource {
  /** Up to `most` of them, those of the first class first; none where there are none. Does not wait for more. */
  next(most: number): Promise<readonly Job[]>;
}

/** "This run has a segment to run." Whoever took it and says nothing loses it to another node. */
export interface Job {
  readonly run: string;
  /** It is being worked on; said each second. */
  working(): void;
  /** It is not needed any more. */
  done(): void;
  /** Another node should look at it. */
  passOn(): void;
}
