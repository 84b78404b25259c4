import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ravi } from '../api/client.ts';
import { Loaded } from '../ui/loaded.tsx';

/** A PDF in the viewer of the browser. The media type is set here, so that the bytes cannot be shown as anything else. */
export function PdfView({ reference }: { readonly reference: string }) {
  const query = useQuery({
    queryKey: ['pdf', reference],
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const response = await ravi.artifacts.content(reference, { signal });
      return new Blob([await response.arrayBuffer()], { type: 'application/pdf' });
    },
  });
  return <Loaded query={query}>{(blob) => <Frame blob={blob} />}</Loaded>;
}

function Frame({ blob }: { readonly blob: Blob }) {
  const [source, setSource] = useState<string>();
  useEffect(() => {
    const url = URL.createObjectURL(blob);
    setSource(url);
    return () => URL.revokeObjectURL(url);
  }, [blob]);
  return <iframe className="preview pdf" title="Preview of the document" src={source} />;
}
