import { z } from 'zod';
import { optional } from '../fields.ts';
import { Line } from '../golden-config/config-spec.ts';

/** Template and values of the examples. */
export const TEMPLATE = 'ntp server {{ ntp }}\n<e/>no ip http server\n';
export const VALUES = { ntp: '192.0.2.9' };

/** Source of the rules. */
export const Template = z.string().meta({ description: 'Source of the rules', examples: [TEMPLATE] });
/** Values for a template. */
export const Variables = z.record(z.string(), z.unknown()).describe('Values for the template, by name');

/** Options for the keys of a JSON template, evaluated where its rules are derived. */
const RuleSet = optional(z.record(z.string(), z.unknown()))
  .describe(
    'JSON only: severities and modes by path, keys that must exist, and the identifying fields of array items',
  )
  .meta({ examples: [{ evalMode: { disallowed: ['$.debug'] }, arrayIdentity: { '$.groups': 'id' } }] });

/** Rules of a node for further platforms (contract/additions#golden-sections). */
const Sections = optional(
  z.record(
    z.string().min(1).max(255),
    z.strictObject({
      template: z.string().meta({ description: 'Source of the rules', examples: ['system {\n'] }),
      ruleSet: RuleSet,
    }),
  ),
)
  .describe(
    'Rules for devices of other platforms than that of the tree, by the name of their config parser; they replace all such rules of the node',
  )
  .meta({ examples: [{ 'arista-eos': { template: 'ntp server 192.0.2.9\n' } }] });
export type RequestedSections = NonNullable<z.infer<typeof Sections>>;

/** The fields of a new spec. */
export const NewSpec = z.strictObject({
  deviceType: z.string().meta({
    description: 'Name of the config parser for the template',
    examples: ['cisco-ios'],
  }),
  template: Template,
  variables: optional(Variables),
  ruleSet: RuleSet,
});
export type NewSpec = z.infer<typeof NewSpec>;

/** Changes to a spec: its template or its lines, not both, and variables. */
export const SpecUpdate = z.strictObject({
  template: optional(Template),
  lines: optional(z.array(Line)).describe('New rules; the template is generated from them'),
  variables: optional(Variables).describe('Values that are added to those of the version of the spec'),
  ruleSet: RuleSet,
  sections: Sections,
});
export type SpecUpdate = z.infer<typeof SpecUpdate>;

/** The request of `PUT /node/config`. */
export const NodeConfig = z.strictObject({
  treeId: z.string().describe('Id of the tree'),
  treeVersion: z.string().describe('Name of the version'),
  nodePath: z.string().describe('Names from the root to the node, joined by slashes'),
  data: z.strictObject({
    template: z.string().meta({
      description: 'Source of the rules',
      examples: ['ntp server {{ ntp }}\n<e/>no ip http server\n'],
    }),
    variables: z
      .record(z.string(), z.unknown())
      .describe('Values that override those of the version, by name'),
    ruleSet: RuleSet,
    sections: Sections,
  }),
  updateVariables: z
    .boolean()
    .describe('True: the values are added to those of the version; false: they are used once'),
});
export type NodeConfig = z.infer<typeof NodeConfig>;

const TEXT_KINDS = ['backups', 'nodes'] as const;
const TEXT_KIND = 'backups: the configuration of a backup; nodes: the rendered template of a node’s spec';

/** The request of `PUT /lookup_diff`: two texts to compare. */
export const TextLookup = z.strictObject({
  id: z.string().describe('Id of the first: a backup’s, or that of a node’s spec'),
  nextId: z.string().describe('Id of the second, or the name of a device'),
  collection: z.enum(TEXT_KINDS).describe(TEXT_KIND),
  nextCollection: z
    .enum([...TEXT_KINDS, 'devices'])
    .describe(`${TEXT_KIND}; devices: the current configuration of a device`),
  options: optional(
    z.strictObject({
      type: optional(z.enum(['line', 'word', 'char'])).describe('Unit of comparison; absent: word'),
    }),
  ).describe('How to compare'),
});
export type TextLookup = z.infer<typeof TextLookup>;
