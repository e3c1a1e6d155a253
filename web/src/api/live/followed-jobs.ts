/** The jobs that the tabs of this browser show, each of whose steps the event stream carries. */

/** The stream follows at most this many jobs, as many as the service admits. */
const MOST = 100;

/** How often each job is shown in this tab. */
const shownHere = new Map<string, number>();
const byTab = new Map<string, readonly string[]>();

/** @returns the jobs that this tab shows */
export const followedHere = (): readonly string[] => [...shownHere.keys()];

/** @returns the jobs that any tab shows, the newest first */
export const allFollowed = (): readonly string[] => [...new Set([...byTab.values()].flat())].slice(0, MOST);

/** Notes what a tab shows. */
export function noteTab(tab: string, jobs: readonly string[]): void {
  byTab.delete(tab);
  if (jobs.length > 0) byTab.set(tab, jobs);
}

/** Counts a job as shown in this tab. @returns counts it as no longer shown */
export function countShown(job: string): () => void {
  shownHere.set(job, (shownHere.get(job) ?? 0) + 1);
  return () => {
    const left = (shownHere.get(job) ?? 1) - 1;
    if (left > 0) shownHere.set(job, left);
    else shownHere.delete(job);
  };
}
