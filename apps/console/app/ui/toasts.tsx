import { Toast } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from './button.tsx';

/** Provides toasts to everything inside of it. */
export function ToastRegion({ children }: { readonly children: ReactNode }) {
  return (
    <Toast.Provider timeout={6_000}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

/** Returns a function that shows a message for a few seconds. */
export function useTell(): (title: string) => void {
  const { add } = Toast.useToastManager();
  return (title) => void add({ title });
}

function ToastList() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="toast">
      <Toast.Title render={<p />} />
      <Toast.Close render={<IconButton label="Dismiss" icon={X} />} />
    </Toast.Root>
  ));
}
