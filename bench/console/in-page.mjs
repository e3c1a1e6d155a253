/** Functions that run inside the page, and therefore refer to nothing outside of themselves. */

/** Opens a path of the console without loading the page again, and returns the milliseconds until all of it has been painted. */
export async function timeInPage({ path, untils }) {
  const isDone = ({ until, shows = '', hides }) => {
    const found = [...document.querySelectorAll(until)].map(({ textContent }) => textContent ?? '');
    return (
      found.some((one) => one.includes(shows)) &&
      (hides === undefined || found.every((one) => !one.includes(hides)))
    );
  };
  const started = performance.now();
  if (path !== undefined) window.history.pushState({}, '', `/console${path}`);
  while (!untils.every(isDone)) {
    if (performance.now() - started > 30_000)
      throw new Error(`Not all is shown of ${JSON.stringify(untils)}`);
    await new Promise(requestAnimationFrame);
  }
  // The frame that has it, and its paint.
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  return performance.now() - started;
}

/** Scrolls an element through its content and returns the milliseconds between frames. */
export async function timeFrames({ css, frames }) {
  const frame = document.querySelector(css);
  const times = [];
  let last = await new Promise(requestAnimationFrame);
  for (let n = 0; n < frames; n++) {
    frame.scrollTop += 120;
    const now = await new Promise(requestAnimationFrame);
    times.push(now - last);
    last = now;
  }
  return times;
}

/** Scrolls a list until it has read that many rows, then back to its start. */
export async function readRows({ css, rows }) {
  const table = document.querySelector(css);
  const countRead = () =>
    Number(/([\d,]+) of/.exec(table.nextElementSibling?.textContent ?? '')?.[1]?.replaceAll(',', ''));
  for (const end = performance.now() + 90_000; countRead() < rows && performance.now() < end; ) {
    table.scrollTop = table.scrollHeight;
    const more = [...document.querySelectorAll('main button')].find(
      ({ textContent }) => textContent === 'Show more',
    );
    if (countRead() < 300) more?.click();
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  table.scrollTop = 0;
}

/** The time of the largest contentful paint so far, in milliseconds after the start of the navigation. */
export const largestPaint = () =>
  new Promise((resolve) => {
    let last = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) last = entry.startTime;
    }).observe({ type: 'largest-contentful-paint', buffered: true });
    setTimeout(() => resolve(last), 300);
  });

/** The number of requests that had begun at a time, that for the page among them; `ms` as `largestPaint` returns it. */
export const requestsBefore = (ms) =>
  1 + performance.getEntriesByType('resource').filter(({ startTime }) => startTime < ms).length;
