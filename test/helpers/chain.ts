/** Work of as many steps as it is told, each a row: what the tests of durable work count. */
export const CHAIN = 'chain';
export type ChainInput = { steps: number };
