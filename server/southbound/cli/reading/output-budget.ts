/** The part of a session in the memory for output that all sessions share. */
type OutputShare = {
  /** Sets the size of what was received and not taken yet, in bytes. */
  pending: (size: number) => void;
  /** Sets the size of the results that the session's call holds, in bytes. */
  results: (size: number) => void;
  /** Frees everything. */
  close: () => void;
};

/** The memory for output that all sessions share. */
export type OutputBudget = {
  /** Opens the part of a session. @param onExceeded called once, when this session has to give its output up */
  open: (onExceeded: () => void) => OutputShare;
};

/**
 * Opens the memory for the output of all sessions. When it is used up, the session that holds most gives way, so that
 * devices which flood end before those which answer.
 *
 * @param most in bytes
 */
export function openOutputBudget(most: number): OutputBudget {
  const sizes = new Map<() => void, number>();
  let total = 0;
  const set = (key: () => void, size: number) => {
    total += size - (sizes.get(key) ?? 0);
    sizes.set(key, size);
    while (total > most) {
      const [largest, held] = [...sizes].reduce((one, other) => (other[1] > one[1] ? other : one));
      sizes.delete(largest);
      total -= held;
      largest();
    }
  };
  return {
    open(onExceeded) {
      let [pending, results] = [0, 0];
      let isOpen = true;
      const close = () => {
        isOpen = false;
        total -= sizes.get(exceed) ?? 0;
        sizes.delete(exceed);
      };
      const exceed = () => {
        isOpen = false;
        onExceeded();
      };
      const update = () => {
        if (isOpen) set(exceed, pending + results);
      };
      return {
        pending(size) {
          pending = size;
          update();
        },
        results(size) {
          results = size;
          update();
        },
        close,
      };
    },
  };
}
