import { api, type Inputs, trpc } from '~/api/client.ts';
import { useRefresh } from '~/ui/actions/use-act.ts';
import { DocumentDialog } from '~/ui/form/document-dialog.tsx';
import { StampedDocument } from '~/ui/form/stamped-document.tsx';
import { FormDialog } from '~/ui/overlays/dialog.tsx';
import { showToast } from '~/ui/overlays/toast.tsx';

/** What is sent; the service checks its members. */
type Sent = Inputs['adapters']['importAdapter']['properties'];

/** Adds an adapter from its exported configuration; the service checks every field of it. */
export function ImportAdapter({ onClose }: { onClose: () => void }) {
  const refresh = useRefresh(trpc.adapters.listAdapters.pathFilter());
  return (
    <DocumentDialog
      title="Import adapter"
      action="Import adapter"
      onClose={onClose}
      onSubmit={async (document) => {
        const { message } = await api.adapters.importAdapter.mutate({ properties: document as Sent });
        await refresh();
        showToast(message);
      }}
    >
      <p className="muted">The JSON of an export, with its secrets entered.</p>
    </DocumentDialog>
  );
}

/** Changes the configuration of an adapter. Its secrets read as a mask, which keeps what is stored. */
export function ChangeAdapter({ name, onClose }: { name: string; onClose: () => void }) {
  const refresh = useRefresh(trpc.adapters.listAdapters.pathFilter());
  return (
    <StampedDocument
      title={`Change ${name}`}
      action="Save configuration"
      read={async (options) => (await api.adapters.getAdapter.query({ name }, options)).data}
      save={async (document, options) => {
        const { message } = await api.adapters.replaceAdapter.mutate(
          { name, properties: document as Sent },
          options,
        );
        await refresh();
        showToast(message);
      }}
      onClose={onClose}
    >
      <p className="muted">
        Secrets are shown as ********, which keeps them. For another host, port or protocol they must be typed
        again. Name and model stay.
      </p>
    </StampedDocument>
  );
}

/** Deletes an adapter after a question. */
export function DeleteAdapter({ name, onClose }: { name: string; onClose: () => void }) {
  const refresh = useRefresh(trpc.adapters.listAdapters.pathFilter());
  return (
    <FormDialog
      title="Delete adapter"
      action="Delete adapter"
      isDanger
      isOpen
      onClose={onClose}
      onSubmit={async () => {
        const { message } = await api.adapters.deleteAdapter.mutate({ name });
        await refresh();
        showToast(message);
      }}
    >
      <p>
        The adapter “{name}” is deleted with its settings. Devices that only it reports disappear; workflows
        that call it fail.
      </p>
    </FormDialog>
  );
}
