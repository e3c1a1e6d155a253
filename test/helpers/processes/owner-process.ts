import { sql } from 'drizzle-orm';
import { openDatabase } from '#db/client.ts';
import { openEmbedded } from '#db/embedded.ts';

/** A process that opens the embedded database in the folder it is given, writes its second argument to it, and waits to be ended. */
const [dataDir = '', word = ''] = process.argv.slice(2);
const embedded = await openEmbedded({ dataDir, log: () => undefined });
const { db } = openDatabase({ connection: embedded.connection });
await db.execute(sql`create table if not exists words (word text)`);
await db.execute(sql`insert into words values (${word})`);
console.log(embedded.isOwner() ? 'owner' : 'guest');
