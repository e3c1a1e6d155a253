/** Work of a given number of steps, each a row: what the tests of durable work count. */
export const CHAIN = 'chain';
/** @property stumbles how often it throws after its first step before it continues */
export type ChainInput = { steps: number; stumbles?: number };
