import { useState } from 'react';

/**
 * The fields of a form over a stored document. What was typed stays when the document is read again, also when somebody else
 * has changed it meanwhile; the other fields follow it.
 *
 * @param stored the fields as they are stored now
 * @returns the fields, a function that changes some of them, and one that returns to what is stored
 */
export function useEdits<Fields extends object>(
  stored: Fields,
): [Fields, (change: Partial<Fields>) => void, () => void] {
  const [edits, setEdits] = useState<Partial<Fields>>({});
  return [
    { ...stored, ...edits },
    (change) => setEdits((before) => ({ ...before, ...change })),
    () => setEdits({}),
  ];
}
