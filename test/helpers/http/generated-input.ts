import { z } from 'zod';

type Json = Record<string, unknown>;
type Schema = Json & {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
};

/** How the members of a generated input are filled. */
export type Filling = {
  /** The text for a member of this name. */
  text: (member: string) => string;
  /** Optional members too. */
  wide: boolean;
};

/** Depth below which optional members are left out: some documents contain themselves. */
const DEEPEST = 4;

const converted = new WeakMap<z.ZodType, Schema>();

/** The JSON schema of an input, converted once. */
function schemaOf(type: z.ZodType): Schema {
  const known = converted.get(type);
  if (known) return known;
  const made = z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' }) as Schema;
  converted.set(type, made);
  return made;
}

/** Generates an input that has the shape of a schema; rules beyond shape may still reject it. */
export function inputOf(schema: z.ZodType, filling: Filling): Json {
  const root = schemaOf(schema);
  const definitions = (root.$defs ?? {}) as Record<string, Schema>;

  const fill = (given: Schema | boolean, member: string, depth: number): unknown => {
    if (typeof given === 'boolean') return given ? filling.text(member) : null;
    const schema = typeof given.$ref === 'string' ? { ...definitions[given.$ref.slice(8)], ...given } : given;
    if (depth > 12) return null;
    if ('const' in schema) return schema.const;
    if (Array.isArray(schema.enum)) return schema.enum[0];
    const several = (schema.anyOf ?? schema.oneOf ?? schema.allOf) as Schema[] | undefined;
    if (several) return fill(several.find(({ type }) => type !== 'null') ?? {}, member, depth + 1);
    switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
      case 'object':
        return object(schema, depth);
      case 'array':
        return [fill(schema.items ?? {}, member, depth + 1)];
      case 'boolean':
        return true;
      case 'integer':
      case 'number':
        return typeof schema.minimum === 'number' ? Math.max(schema.minimum, 1) : 1;
      default:
        return schema.format === 'date-time' ? '2026-01-01T00:00:00.000Z' : filling.text(member);
    }
  };
  const object = ({ properties = {}, required = [] }: Schema, depth: number): Json =>
    Object.fromEntries(
      Object.entries(properties)
        .filter(([name]) => required.includes(name) || (filling.wide && depth < DEEPEST))
        .map(([name, one]) => [name, fill(one, name, depth + 1)]),
    );
  return object(root, 0);
}
