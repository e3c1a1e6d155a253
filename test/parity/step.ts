/** A call of an operation, through REST and tRPC alike. */
type Fields = Record<string, unknown>;
/** What earlier answers of this service gave, by name. */
export type Seen = Record<string, string>;
export type Step = {
  operation: string;
  input: (seen: Seen) => Fields;
  /** What later steps need of the answer. */
  keep?: (body: never) => Seen;
  /** Figures of this process and moment: only their names and types can be the same. */
  measured?: boolean;
};

export const step = (
  operation: string,
  input: Fields | ((seen: Seen) => Fields) = {},
  more: Partial<Step> = {},
): Step => ({
  operation,
  input: typeof input === 'function' ? input : () => input,
  ...more,
});

/** The id of no document. */
export const NOBODY = '65a000000000000000000000';

/** A node of the tree that was made. */
export const at = (nodePath: string) => (seen: Seen) => ({ treeId: seen.tree, version: 'initial', nodePath });

/** A device for the inventory. */
export const host = {
  name: 'edge-1',
  host: '192.0.2.11',
  device_type: 'cisco_ios',
  username: 'svc',
  password: 'Lantern-1',
};
