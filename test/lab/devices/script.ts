/** How a simulated device's pager asks, and how it takes its line away again. */
export type Pager = { text: string; wipe: string };

/** What a simulated device is like. Everything in it is invented. */
export type Script = {
  device_type: string;
  /** Name of a driver to speak with it, where that is another one. */
  ident?: string;
  /** Said before the first prompt. */
  motd?: string;
  prompt: string;
  /** Prompt before `enable`. */
  exec?: string;
  enable?: string;
  /** Line above each prompt. */
  above?: string;
  /** A number in place of `%n` in the prompt grows with each command; so does a time in place of `%t`. */
  counts?: boolean;
  eol?: string;
  pager?: Pager;
  /** Commands that turn the pager off. */
  off?: RegExp;
  /** Other commands that are known, and what they answer. */
  quiet?: RegExp;
  version: string;
  invalid: string;
  /** Asked before there is a prompt: the question, and the answer that it takes. */
  asks?: { text: string; answer: RegExp }[];
  /** Signs in within the shell. */
  inBand?: boolean;
  /** Shell that one lands in, and what leads out of it. */
  landing?: { prompt: string; command: string };
  /** Said before every output. */
  preamble?: string;
  /** How a line is written back; absent: as it was typed. */
  echo?: (prompt: string, line: string) => string;
  /** Keys that count as Enter. */
  enter?: string;
};
