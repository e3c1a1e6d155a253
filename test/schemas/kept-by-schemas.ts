import { z } from 'zod';
import { preprocessed, transformed } from '#db/schemas/transformed.ts';
import { oldBytesAfter } from '../helpers/young-memory.ts';

/* Prints how many bytes of 20 MB that pass two transformations became old, in a process that has done nothing else. */
const text = z.object({ text: z.string() });
const schema = preprocessed(
  (value) => value,
  transformed(text, (given) => given.text),
);
process.stdout.write(`${await oldBytesAfter((long) => schema.parse({ text: long }))}\n`);
