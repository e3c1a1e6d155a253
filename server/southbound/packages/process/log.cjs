'use strict';
/** The log that packages find as the global `log`, and as `console`. The host writes its lines to the adapter's log. */
const { format } = require('node:util');

/** Levels of packages, least urgent first, and the level of ours that each becomes. */
const LEVELS = [
  ['spam', 'trace'],
  ['trace', 'trace'],
  ['debug', 'debug'],
  ['info', 'info'],
  ['notice', 'info'],
  ['warn', 'warn'],
  ['warning', 'warn'],
  ['error', 'error'],
  ['fatal', 'error'],
];
const OURS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** Longest line in characters, and most lines per second; further lines are counted. */
const LONGEST = 4096;
const PER_SECOND = 200;

/**
 * @param {(message: object) => void} send
 * @returns the log, and `setLevel` for the least urgent level of ours that is sent
 */
exports.openLog = (send) => {
  let least = OURS.indexOf('info');
  let second = 0;
  let written = 0;
  let left = 0;

  const write = (level, parts) => {
    if (OURS.indexOf(level) < least) return;
    const now = Math.floor(Date.now() / 1000);
    if (now !== second) {
      if (left > 0) send({ type: 'log', level: 'warn', message: `${left} lines were left out` });
      second = now;
      written = 0;
      left = 0;
    }
    written += 1;
    if (written > PER_SECOND) {
      left += 1;
      return;
    }
    send({ type: 'log', level, message: lineOf(parts) });
  };
  const log = {};
  for (const [name, level] of LEVELS) log[name] = (...parts) => write(level, parts);
  const console = { ...globalThis.console };
  for (const [name, level] of [
    ['debug', 'debug'],
    ['log', 'info'],
    ['info', 'info'],
    ['dir', 'info'],
    ['trace', 'debug'],
    ['warn', 'warn'],
    ['error', 'error'],
  ]) {
    console[name] = log[level];
  }
  return {
    log,
    console,
    setLevel: (level) => {
      least = Math.max(0, OURS.indexOf(level));
    },
  };
};

function lineOf(parts) {
  try {
    return format(...parts).slice(0, LONGEST);
  } catch {
    return 'a line that cannot be written';
  }
}
