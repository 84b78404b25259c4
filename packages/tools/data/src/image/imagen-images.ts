import { aspectRatios } from './gemini-images.ts';
import { below, itemsAt, textOf, valueAt } from './image-adapter.ts';
import type { ImageAdapter } from './image-adapter.ts';

/** Imagen models of the Gemini API: https://ai.google.dev/gemini-api/docs/imagen */
export const imagenImages: ImageAdapter = {
  defaultUrl: 'https://generativelanguage.googleapis.com/v1beta',
  provider: 'google',
  request: ({ prompt, shape }, { url, key, model }) => ({
    url: below(url, `models/${encodeURIComponent(model)}:predict`),
    headers: { 'x-goog-api-key': key },
    body: { instances: [{ prompt }], parameters: { sampleCount: 1, aspectRatio: aspectRatios[shape] } },
  }),
  read(body) {
    const predictions = itemsAt(body, 'predictions');
    const images = predictions.flatMap((prediction) => {
      const base64 = textOf(valueAt(prediction, 'bytesBase64Encoded'));
      return base64 === undefined ? [] : { base64, mediaType: textOf(valueAt(prediction, 'mimeType')) };
    });
    const refusal = textOf(valueAt(predictions[0], 'raiFilteredReason'));
    return { images, ...(images.length === 0 && refusal !== undefined ? { refusal } : {}) };
  },
};
