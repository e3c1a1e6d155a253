/** A JSON schema as a document has it; its `$ref`s are not followed. */
export type DocumentSchema = Readonly<Record<string, unknown>>;

export type HttpMethod = 'GET' | 'HEAD' | 'OPTIONS' | 'TRACE' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** How a value becomes text in a request (OpenAPI 3.1 §4.8.12.3; `tabDelimited` is Swagger 2.0 `tsv`). */
export type ParameterStyle =
  | 'simple'
  | 'label'
  | 'matrix'
  | 'form'
  | 'spaceDelimited'
  | 'pipeDelimited'
  | 'tabDelimited'
  | 'deepObject';

export type OperationParameter = {
  /** Name of the incoming value of the task. It differs from `wireName` only where two parameters share a name. */
  name: string;
  /** Name in the request. */
  wireName: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  required: boolean;
  style: ParameterStyle;
  explode: boolean;
  allowReserved: boolean;
  description: string;
  schema: DocumentSchema;
  /** Media type of a parameter that is serialized by `content` and not by its style. */
  mediaType?: string;
};

/** How one field of a form or multipart body is written. */
export type FieldEncoding = { mediaType?: string; style?: ParameterStyle; explode?: boolean };

/** One media type in which a body can be sent. */
export type BodyContent = {
  mediaType: string;
  schema: DocumentSchema;
  /** By the name of the field. */
  encoding: Readonly<Record<string, FieldEncoding>>;
};

export type OperationBody = {
  required: boolean;
  description: string;
  /** In the document's order; the task's default is the first JSON one, else the first. */
  contents: readonly BodyContent[];
};

/** Names of security schemes that are used together, with the scopes of each. */
export type SecurityAlternative = Readonly<Record<string, readonly string[]>>;

/** How the further pages of a list are found (`x-paging` of an operation, `paging` of an integration). */
export type Paging =
  | { style: 'link' }
  | { style: 'cursor'; from: string; parameter: string; list?: string }
  | { style: 'offset'; start: string; size?: string; list?: string };

/** Effect of a call, which decides what happens when its process is lost: `read` and `keyed` are repeated, `unsafe` is not. */
export type CallEffect = 'read' | 'keyed' | 'unsafe';

/** An operation of an OpenAPI document with all that a call needs; nothing else of the document is read for it. */
export type ApiOperation = {
  /** Name of the task: the `operationId`, or one made of method and path. */
  name: string;
  method: HttpMethod;
  /** Path template as in the document: `/api/dcim/devices/{id}/`. */
  path: string;
  summary: string;
  description: string;
  tags: readonly string[];
  deprecated: boolean;
  parameters: readonly OperationParameter[];
  body?: OperationBody;
  /** Alternatives, of which the first with values is used; empty or with an empty one: none is needed. */
  security: readonly SecurityAlternative[];
  /** Server of this operation where the document gives it one of its own; its variables are not filled in. */
  server?: string;
  effect: CallEffect;
  paging?: Paging;
  /** Media types that the document promises for answers, by status (`200`, `2XX`, `default`); absent: it promises none. */
  answers?: Readonly<Record<string, readonly string[]>>;
};

/** A security scheme of a document. */
export type SecurityScheme =
  | { type: 'apiKey'; name: string; in: 'query' | 'header' | 'cookie'; sigV4: boolean }
  | { type: 'http'; scheme: string }
  | {
      type: 'oauth2';
      flows: Readonly<Record<string, { tokenUrl?: string; refreshUrl?: string; scopes: readonly string[] }>>;
    }
  | { type: 'openIdConnect'; openIdConnectUrl: string }
  | { type: 'mutualTLS' };

/** A document, compiled once when it is stored. */
export type CompiledModel = {
  title: string;
  version: string;
  description: string;
  specification: '2.0' | '3.0' | '3.1';
  operations: readonly ApiOperation[];
  /** Operations that could not be compiled, each with the reason. */
  leftOut: readonly { method: string; path: string; name: string | null; reason: string }[];
  securitySchemes: Readonly<Record<string, SecurityScheme>>;
  /** The connection that an integration begins with: `properties` of the model. */
  template: Readonly<Record<string, unknown>>;
  warnings: readonly { path: readonly (string | number)[]; message: string }[];
};
