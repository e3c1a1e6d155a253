import { useEffect, useState } from 'react';

/** How long a value must stay the same before the service is asked about it, in milliseconds. */
const SETTLED_MS = 300;

/** Returns a value that is edited once it has stayed the same for a moment, so that not every key asks the service. */
export function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  const text = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(text) as Value), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
