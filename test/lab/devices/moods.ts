/** How a simulated device behaves beside what it is. */
export type Mood = {
  /** Bytes that go out at once; absent: each output whole. A character may be split. */
  chunk?: number;
  /** Pause between two of these, in milliseconds. */
  gapMs?: number;
  /** Nothing turns the pager off. */
  pages?: boolean;
  /** Typed lines are not written back. */
  mute?: boolean;
  /** Nor is the line ended when Enter is pressed. */
  unended?: boolean;
  /** Accepts no credential; or breaks off when it is shown one. */
  login?: 'refuses' | 'drops';
  /** How the password is asked for: alone, or by questions, of which only the password has an answer. */
  auth?: 'password' | 'questions' | 'none';
  /** What is asked beside the password, and the answer. */
  asksToo?: { prompt: string; answer: string };
  /** A shell opens, and no prompt ever comes. */
  silent?: boolean;
  /** Time before each answer, in milliseconds. */
  delayMs?: number;
  config?: ConfigMode;
};

/** The configuration of a simulated device, and how one gets at it. */
export type ConfigMode = {
  show: string;
  enter: string;
  /** Prompt of the mode. */
  prompt: string;
  leave: string;
  /** Makes the candidate count; absent: each line counts at once. */
  apply?: string;
  /** Gives the candidate up. */
  abandon?: string;
  /** Tries the candidate. */
  check?: string;
  /**
   * Its lines. `no <line>` takes one out; `refused <anything>` is rejected, `refused saying <anything>` with its last word, whose `_` are blanks, `drop` ends the session, `hang` never ends, and a
   * candidate that holds `clash` is not applied.
   */
  running: string[];
};
