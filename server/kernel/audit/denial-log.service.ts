import type { Logger } from 'pino';
import type { Database } from '#db/client.ts';
import { type AuditRecord, writeAuditRecord } from './audit.service.ts';

/** How long denied requests of one kind are collected before their count is written, in milliseconds. */
const WINDOW_MS = 60_000;

/** Kinds of denied requests that are counted separately within one window: of known callers, and of all others. */
const MOST_KINDS = { known: 1000, unknown: 100 };

/** The operation of a row that counts denied requests of further kinds together. */
const OTHERS = 'various';

/** A request that was denied, rejected or that failed. */
export type DeniedRequest = Omit<AuditRecord, 'changes' | 'count' | 'address'> & { address: string };

type DenialCount = { written: number; pending: number; last: Omit<AuditRecord, 'changes'> };

/** Writes denied requests to the audit trail; of floods only their count. */
export type DenialLog = {
  /**
   * Records a denied request: as a separate row, or, when the window has enough rows of its kind (same account, credential,
   * source and operation), in the count that is written at the end of the window.
   *
   * @param most separate rows that the kind may have in a window
   */
  record: (rejection: DeniedRequest, most: number) => Promise<void>;
  /** Writes the counts collected so far. */
  flush: () => Promise<void>;
};

/**
 * Opens the record of denied requests: rows of the audit trail, or counts for many of one kind.
 *
 * @param sourceOf returns the source of an address; for an IPv6 address, its network
 */
export function openDenialLog(
  { db, log, now }: { db: Database; log: Logger; now: () => Date },
  sourceOf: (address: string) => string,
): DenialLog {
  let kinds = new Map<string, DenialCount>();
  let unknown = 0;
  let isOpen = false;

  const write = async (gathered: Iterable<DenialCount>) => {
    for (const kind of gathered) {
      const { pending: count, last } = kind;
      if (count === 0) continue;
      kind.pending = 0;
      await writeAuditRecord(db, { ...last, count, changes: [] }, now());
    }
  };
  const endWindow = () => {
    const ended = kinds;
    isOpen = false;
    unknown = 0;
    kinds = new Map();
    write(ended.values()).catch((error: unknown) =>
      log.error({ err: error }, 'audit rows could not be written'),
    );
  };

  /** Returns the count of a request's kind; beyond the limit of kinds, the shared count of all others. */
  const kindOf = (rejection: DeniedRequest): DenialCount => {
    const { accountId, credential, operation, outcome, status } = rejection;
    const source = sourceOf(rejection.address);
    const key = JSON.stringify([accountId, credential?.id, source, operation, outcome, status]);
    const known = kinds.get(key);
    if (known) return known;
    const isFull =
      accountId === null ? unknown >= MOST_KINDS.unknown : kinds.size - unknown >= MOST_KINDS.known;
    if (!isFull) {
      const kind: DenialCount = { written: 0, pending: 0, last: rejection };
      kinds.set(key, kind);
      if (accountId === null) unknown += 1;
      return kind;
    }
    const shared = JSON.stringify([OTHERS, accountId === null]);
    const others = kinds.get(shared) ?? {
      written: Number.POSITIVE_INFINITY,
      pending: 0,
      last: {
        ...rejection,
        account: null,
        accountId: null,
        credential: null,
        address: null,
        operation: OTHERS,
      },
    };
    kinds.set(shared, others);
    return others;
  };

  return {
    async record(rejection, most) {
      if (!isOpen) setTimeout(endWindow, WINDOW_MS).unref();
      isOpen = true;
      const kind = kindOf(rejection);
      if (kind.written < most) {
        kind.written += 1;
        await writeAuditRecord(db, { ...rejection, changes: [] }, now());
        return;
      }
      kind.pending += 1;
      kind.last = { ...kind.last, requestId: rejection.requestId };
    },
    flush: () => write(kinds.values()),
  };
}
