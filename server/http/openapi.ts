import { generateOpenApiDocument } from 'trpc-openapi';
import { appRouter } from '#routers/index.ts';
import { RELEASE } from '#server/config.ts';

let text: string | undefined;

/** The OpenAPI 3.1 document of every REST endpoint, as JSON text; made at its first use. */
export function openApiText(): string {
  text ??= JSON.stringify(
    generateOpenApiDocument(appRouter, { title: 'Switchyard', version: RELEASE, baseUrl: '/' }),
  );
  return text;
}
