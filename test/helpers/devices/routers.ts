import { sql } from 'drizzle-orm';
import {
  boolean,
  customType,
  doublePrecision,
  integer,
  jsonb,
  pgTable,
  timestamp,
} from 'drizzle-orm/pg-core';
import { z } from 'zod';
import { type Database, rows } from '#db/client.ts';
import { defineResource } from '#db/list/resource.ts';

/** Invented documents with one field of each kind that lists know. */
export const Router = z.looseObject({
  _id: z.string(),
  name: z.string(),
  started: z.iso.datetime().nullable(),
  site: z.string().nullish(),
  weight: z.number().optional(),
  height: z.number().optional(),
  active: z.boolean().optional(),
  spare: z.boolean().default(false),
  version: z.union([z.string(), z.number()]),
  tags: z.array(z.string()),
  ports: z.array(z.number()).optional(),
  parts: z.array(z.object({ serial: z.string(), made: z.object({ year: z.number() }) })),
  metrics: z.object({ owner: z.string(), score: z.number() }).optional(),
  labels: z.record(z.string(), z.string()),
});

/** Text in byte order: what the columns of a documents table should be. */
const byteText = customType<{ data: string }>({ dataType: () => 'text collate "C"' });

export const routers = pgTable('list_routers', {
  id: byteText('id').primaryKey(),
  doc: jsonb('doc').notNull(),
  rev: integer('rev').notNull().default(1),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
  name: byteText('name').generatedAlwaysAs(sql`doc ->> 'name'`),
  started: byteText('started').generatedAlwaysAs(sql`doc ->> 'started'`),
  height: doublePrecision('height'),
  active: boolean('active'),
});

export const columns = {
  name: routers.name,
  started: routers.started,
  height: routers.height,
  active: routers.active,
};

export const Routers = defineResource({ name: 'routers', schema: Router, source: routers, columns });
export const GivenRouters = defineResource({ name: 'routers', schema: Router, source: 'given' });

/** Recreates the table, with the indexes that `defineResource` declares. */
export async function createRouters(db: Database): Promise<void> {
  await rows(db, sql`drop table if exists list_routers`);
  await rows(
    db,
    sql`create table list_routers (
      id text collate "C" primary key,
      doc jsonb not null,
      rev integer not null default 1,
      updated_at timestamptz not null default now(),
      name text collate "C" generated always as (doc ->> 'name') stored,
      started text collate "C" generated always as (doc ->> 'started') stored,
      height double precision generated always as (
        case when jsonb_typeof(doc -> 'height') = 'number' then (doc ->> 'height')::double precision end) stored,
      active boolean generated always as (
        case when jsonb_typeof(doc -> 'active') = 'boolean' then (doc ->> 'active')::boolean end) stored
    )`,
  );
  await rows(db, sql`create index on list_routers (name, id)`);
  await rows(db, sql`create index on list_routers (lower(name) text_pattern_ops)`);
  await rows(db, sql`create index on list_routers (started desc nulls last, id)`);
  await rows(db, sql`create index on list_routers (height)`);
}

/** Store documents under their `_id`. */
export async function insertRouters(db: Database, documents: readonly { _id: string }[]): Promise<void> {
  await rows(
    db,
    sql`insert into list_routers (id, doc)
      select each ->> '_id', each from jsonb_array_elements(${JSON.stringify(documents)}::text::jsonb) as each`,
  );
}
