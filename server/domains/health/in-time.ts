/** Returns the result of a promise, or undefined when it fails or takes longer than `patienceMs`. */
export async function inTime<Value>(promise: Promise<Value>, patienceMs: number): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, patienceMs, undefined);
  });
  try {
    return await Promise.race([promise.catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}
