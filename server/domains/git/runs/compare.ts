/** A document as both sides have it now, and had it when they were last the same; null: it does not exist there. */
export type Sides = {
  local: string | null;
  remote: string | null;
  /** Hashes when both sides were last the same; null: never. */
  base: { local: string; remote: string } | null;
};

/** The action of a run on a document. */
export type Verdict =
  /** Both sides are the same; `settle` when that is not recorded yet. */
  | { action: 'none'; settle?: true }
  /** Only the other side changed: the opposite action transfers it. */
  | { action: 'skip' }
  | { action: 'create' | 'update' }
  | { action: 'remove' }
  | { action: 'conflict'; reason: string };

const CREATED = 'both sides created it, with different content';
const CHANGED = 'both sides changed it since they were last the same';
const REMOVED_THERE = 'it was changed here and removed in the repository';
const REMOVED_HERE = 'it was removed here and changed in the repository';

/**
 * Returns what a push or pull does with a document: a side that changed since both were the same replaces one that did
 * not. Where both changed nothing is written, unless the caller says that the source replaces the target.
 *
 * @param sides the hashes of both sides, and those from when they were last the same
 * @param overwrite whether a user settled the conflict for the source
 */
export function verdictOf(
  action: 'push' | 'pull',
  { local, remote, base }: Sides,
  overwrite: boolean,
): Verdict {
  if (local === remote)
    return base?.local === local && base?.remote === remote
      ? { action: 'none' }
      : { action: 'none', settle: true };
  const isLocalChanged = base === null ? local !== null : local !== base.local;
  const isRemoteChanged = base === null ? remote !== null : remote !== base.remote;
  if (!isLocalChanged && !isRemoteChanged) return { action: 'none' };
  const [source, target] = action === 'push' ? [local, remote] : [remote, local];
  const isSourceChanged = action === 'push' ? isLocalChanged : isRemoteChanged;
  const isTargetChanged = action === 'push' ? isRemoteChanged : isLocalChanged;
  if (isTargetChanged && !overwrite) {
    if (!isSourceChanged) return { action: 'skip' };
    return { action: 'conflict', reason: reasonOf(local, remote, base !== null) };
  }
  if (source === null) return { action: 'remove' };
  return { action: target === null ? 'create' : 'update' };
}

function reasonOf(local: string | null, remote: string | null, hasBase: boolean): string {
  if (!hasBase) return CREATED;
  if (remote === null) return REMOVED_THERE;
  return local === null ? REMOVED_HERE : CHANGED;
}
