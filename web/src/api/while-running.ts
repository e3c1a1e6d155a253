/** How often the progress of a run is read, in milliseconds. */
export const PROGRESS_MS = 1000;

type Read<Data> = { state: { data?: Data | undefined } };

/**
 * Options of a query that shows a run: it is read again each second while the run is under way, in requests that do not
 * extend the session.
 *
 * @param isRunning whether what was read last is still under way
 */
export const whileRunning = <Data>(isRunning: (data: Data) => boolean) => ({
  trpc: { context: { background: true } },
  refetchInterval: ({ state }: Read<Data>) =>
    state.data !== undefined && isRunning(state.data) ? PROGRESS_MS : (false as const),
});
