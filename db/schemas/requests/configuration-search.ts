import { z } from 'zod';
import { optional } from '../fields.ts';
import { ParserQuery } from '../golden-config/config-parser.ts';
import { Timestamp } from '../primitives.ts';
import { transformed } from '../transformed.ts';
import { page, paging, Sort } from './paging.ts';

/** A count, which some clients send as digits (contract/lifecycle#4.1). */
const Count = z.union([z.int().min(0), z.string().regex(/^\d{1,9}$/, 'must be a number')]);
const Names = z.array(z.string()).max(100);

/** The request of a search for devices. */
export const DeviceSearch = z.strictObject({
  start: optional(Count).describe('Number of devices to skip; absent: 0'),
  skip: optional(Count).describe('The same as start'),
  limit: optional(Count, 25).describe('Maximum number of devices to return, 1 to 1000; absent: 25'),
  filter: optional(
    z.strictObject({
      name: optional(z.string(), 'edge').describe('Text in the name'),
      address: optional(z.string()).describe('Text in the management address'),
      port: optional(z.union([z.string(), z.number()]), 22).describe('Digits in the port'),
      ostype: optional(z.string()).describe('Text in the name of its config parser'),
    }),
  ).describe('Which devices to return; empty texts do not filter'),
  sort: optional(z.union([z.string(), Sort, z.array(Sort)]), 'name').describe(
    'Order of the list; absent: by name',
  ),
  order: paging.order.describe('descending: every field of `sort`; as a number, the direction of one field'),
  exactMatch: optional(z.boolean()).describe('True: the filters must equal the whole value'),
  adapterType: optional(Names).describe('Kinds of adapter, one of which reports the device'),
  adapterId: optional(Names).describe('Adapters, one of which reports the device'),
  origins: optional(z.union([z.boolean(), Names])).describe(
    'Origins, one of which reports the device; true and false have no effect: all origins are always returned',
  ),
});
export type DeviceSearch = z.infer<typeof DeviceSearch>;

const Moment = z.union([Timestamp, z.iso.date()]);
/** The request of a search for backups. */
export const BackupSearch = z.strictObject({
  ...page,
  start: optional(transformed(Count, Number)).describe('Number of backups to skip; absent: 0'),
  skip: optional(transformed(Count, Number)).describe('The same as start'),
  filter: optional(
    z.strictObject({
      name: optional(z.string()).describe('Text in the name of the device; an expression with `regex`'),
      description: optional(z.string().max(1000)).describe('Text in the description'),
      dateFrom: optional(Moment).describe('Earliest date: a time, or a day such as `2026-02-03`'),
      dateTo: optional(Moment).describe('Latest date: a time, or a day (to its end)'),
    }),
  ).describe('Which backups to return'),
});
export type BackupSearch = z.infer<typeof BackupSearch>;

/** The request of a search for trees. */
export const TreeSearch = z.strictObject({
  name: optional(z.string()).describe('Text in the name; an expression with `regex`'),
  deviceType: optional(z.string()).describe('Text in the device type; an expression with `regex`'),
  options: optional(z.strictObject(page)).describe('Page and order'),
});
export type TreeSearch = z.infer<typeof TreeSearch>;

const NameFilter = z.strictObject({
  name: optional(z.string()).describe('Text in the name; an expression with `regex`'),
});

/** The request of a search for device groups. */
export const GroupSearch = z.strictObject({
  query: optional(NameFilter).describe('Which groups to return'),
  options: optional(
    z.strictObject({
      ...page,
      limit: optional(z.int().min(1).max(100)).describe(
        'Maximum number of groups to return, 1 to 100; absent: 25',
      ),
      filter: optional(NameFilter).describe('The same as query'),
    }),
  ).describe('Page and order'),
});
export type GroupSearch = z.infer<typeof GroupSearch>;

const { skip, start, limit, sort, order, regex } = ParserQuery.shape;
const PageOfParsers = { skip, start, limit, sort, order, regex };

/** The request of a search for parsers. */
export const ParserSearch = z.strictObject({
  filter: optional(
    z.strictObject({
      id: optional(z.string()).describe('Id of the parser'),
      name: optional(z.string()).describe(
        'Name of the parser; `list` has the parsers whose name contains it',
      ),
    }),
  ).describe('The parser to find'),
  options: optional(z.strictObject(PageOfParsers)).describe('Page and order of `list`'),
});
export type ParserSearch = z.infer<typeof ParserSearch>;
