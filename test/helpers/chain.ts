/** Work of as many steps as it is told, each a row: what the tests of durable work count. */
export const CHAIN = 'chain';
/** @property stumbles how often it throws after its first step before it goes on */
export type ChainInput = { steps: number; stumbles?: number };
