export async function openEmbedded(_: { dataDir: string; log: unknown }) {
  return { connection: 'postgres://postgres@127.0.0.1:54329/postgres', close: async () => {} };
}
