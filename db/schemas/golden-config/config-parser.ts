import { z } from 'zod';
import { flag, optional, text } from '../fields.ts';
import { Gbac, GbacUpdate, Name, ObjectId, Timestamp } from '../primitives.ts';
import { listQuery } from '../query-options.ts';

/** The kind of a token of configuration text (contract/lifecycle#4.4). */
export const LexToken = z
  .enum(['end_line', 'word', 'comment', 'open_statement_block', 'close_statement_block'])
  .meta({
    id: 'LexToken',
    description:
      'Meaning of the matched text: end_line ends a statement, word is one word of it, comment is skipped, open_statement_block and close_statement_block start and end the lines nested below it.',
  });

/** One lexical rule: an RE2 expression and the token it yields; the first rule that matches wins. */
export const LexRule = z.tuple([z.string(), LexToken]).meta({
  id: 'LexRule',
  description: 'A pair: a regular expression (RE2 syntax, matched at the current position) and its token.',
  examples: [['\\S+', 'word']],
});
export type LexRule = z.infer<typeof LexRule>;

/**
 * The rules that split configuration text of one operating system into lines and words (contract/resources#2.3,
 * contract/lifecycle#4.4).
 */
export const ConfigParser = z
  .looseObject({
    id: ObjectId.optional().describe('Id of the parser; the same value as _id'),
    _id: ObjectId.optional().describe('Id of the parser'),
    name: z.string().meta({
      description: 'Name of the parser; a golden tree and a device name it as their device type',
      examples: ['cisco-ios'],
    }),
    template: text('Built-in parser that this one extends', 'cisco-ios'),
    lexRules: z
      .array(LexRule)
      .optional()
      .describe('Rules in the order they are tried at each position of the text'),
    gbac: Gbac.optional().describe('Groups that may see and change the parser'),
    created: Timestamp.optional().describe('When the parser was stored'),
    updated: Timestamp.optional().describe('When the parser was last changed'),
    builtin: flag('True for built-in parsers, which cannot be changed or deleted'),
  })
  .meta({
    id: 'ConfigParser',
    description: 'A parser for the configuration text of one operating system.',
    examples: [{ name: 'core-ios', template: 'cisco-ios', lexRules: [['\\S+', 'word']] }],
  });
export type ConfigParser = z.infer<typeof ConfigParser>;

/**
 * Options of the list of parsers (contract/endpoints#4.4). The first field of `sort` takes precedence; `date` is the time
 * of the last change.
 */
export const ParserQuery = listQuery({
  limit: z.int().min(1).optional().describe('Maximum number of parsers to return; absent: all'),
  regex: flag('True: filter.name is a regular expression (RE2 syntax); otherwise it is literal text'),
  filter: z
    .strictObject({ name: text('Text that the name must contain, or the expression it must match', 'junos') })
    .optional()
    .describe('Which parsers to return'),
  sort: z
    .union([z.string(), z.partialRecord(z.enum(['name', 'date']), z.union([z.literal(1), z.literal(-1)]))])
    .optional()
    .meta({
      description: 'Field to order by, or name and date with 1 or -1: the first field takes precedence',
      examples: ['name'],
    }),
}).meta({ id: 'ParserQuery', description: 'Filter, page and order of the list of parsers.' });
export type ParserQuery = z.infer<typeof ParserQuery>;

/** The fields of a parser that can be changed (contract/lifecycle#4.4); omitted ones stay. */
export const ParserUpdate = z
  .strictObject({
    name: optional(Name).describe('New name; trees that use the parser are updated'),
    template: optional(z.string().meta({ examples: ['cisco-ios'] })).describe(
      'Built-in parser that this one extends',
    ),
    lexRules: optional(z.array(LexRule)).describe('New rules; they replace all previous ones'),
    gbac: optional(GbacUpdate).describe('New access list'),
  })
  .meta({ id: 'ParserUpdate', description: 'Changes to a parser; fields that are not given are kept.' });
export type ParserUpdate = z.infer<typeof ParserUpdate>;

/** The request to parse a text with a parser. */
export const ParserTestRequest = z.strictObject({
  name: optional(z.string()).meta({
    description: 'Name of the parser, or alias of a built-in one; not with `parser`',
    examples: ['cisco-ios'],
  }),
  parser: optional(ConfigParser.partial({ name: true })).describe('The parser to test, stored or not'),
  text: z.string().meta({
    description: 'The configuration, at most 10,000,000 characters',
    examples: ['hostname edge-1\n'],
  }),
});
export type ParserTestRequest = z.infer<typeof ParserTestRequest>;
