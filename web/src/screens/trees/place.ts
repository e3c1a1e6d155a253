/** A node by its place. */
export type Place = { treeId: string; version: string; nodePath: string };
