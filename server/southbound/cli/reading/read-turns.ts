const waiting: (() => void)[] = [];

/**
 * Calls back when it is this session's turn to read on. Sessions with long output read one piece in each iteration of
 * the event loop, all together, so that the others are served in between, however much some devices send.
 */
export function nextReadTurn(read: () => void): void {
  waiting.push(read);
  if (waiting.length === 1) setImmediate(serve);
}

function serve() {
  waiting[0]?.();
  waiting.shift();
  if (waiting.length > 0) setImmediate(serve);
}
