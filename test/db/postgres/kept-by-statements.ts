import { openDatabase, rows } from '#db/client.ts';
import { sql } from '#db/statement.ts';
import { oldBytesAfter } from '../../helpers/young-memory.ts';

/* Prints how many bytes of 20 MB that statements have sent and read became old, in a process that has done nothing else. */
const { db, close } = openDatabase({ connection: JSON.parse(process.argv[2] ?? '') });
const kept = await oldBytesAfter((long) => rows(db, sql`select ${long}::text as long`));
process.stdout.write(`${kept}\n`);
await close();
