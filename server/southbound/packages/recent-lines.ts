/** A line of the log of an adapter, without its secrets. */
export type PackageLine = {
  /** When it was written, as ISO text. */
  time: string;
  level: string;
  message: string;
};

/** Lines that are kept of one adapter. */
const MOST_LINES = 200;

/** The last lines that an adapter wrote in this process of the service, for troubleshooting. */
export type RecentLines = {
  /** Keeps a line; drops the oldest one when there are too many. */
  add: (level: string, message: string) => void;
  /** Returns the lines, oldest first. */
  list: () => readonly PackageLine[];
};

/** Returns an empty list of log lines. */
export function openRecentLines(): RecentLines {
  const lines: PackageLine[] = [];
  return {
    add: (level, message) => {
      lines.push({ time: new Date().toISOString(), level, message });
      if (lines.length > MOST_LINES) lines.shift();
    },
    list: () => [...lines],
  };
}
