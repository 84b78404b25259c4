import { below, itemsAt, textOf, usageOf, valueAt } from './image-adapter.ts';
import type { ImageAdapter, ImageShape } from './image-adapter.ts';

/** Proportions as both interfaces of Google name them. */
const aspectRatios: Readonly<Record<ImageShape, string>> = {
  square: '1:1',
  landscape: '16:9',
  portrait: '9:16',
};

/** Gemini models that answer with pictures: https://ai.google.dev/gemini-api/docs/image-generation */
export const geminiImages: ImageAdapter = {
  defaultUrl: 'https://generativelanguage.googleapis.com/v1beta',
  provider: 'google',
  request: ({ prompt, shape }, { url, key, model }) => ({
    url: below(url, `models/${encodeURIComponent(model)}:generateContent`),
    headers: { 'x-goog-api-key': key },
    body: {
      contents: [{ parts: [{ text: prompt }] }],
      generationConfig: { responseModalities: ['IMAGE'], imageConfig: { aspectRatio: aspectRatios[shape] } },
    },
  }),
  read(body) {
    const [candidate] = itemsAt(body, 'candidates');
    const images = itemsAt(candidate, 'content', 'parts').flatMap((part) => {
      const base64 = textOf(valueAt(part, 'inlineData', 'data'));
      return base64 === undefined ? [] : { base64, mediaType: textOf(valueAt(part, 'inlineData', 'mimeType')) };
    });
    const refusal =
      textOf(valueAt(body, 'promptFeedback', 'blockReason')) ?? textOf(valueAt(candidate, 'finishReason'));
    return {
      images,
      ...usageOf(
        valueAt(body, 'usageMetadata', 'promptTokenCount'),
        valueAt(body, 'usageMetadata', 'candidatesTokenCount'),
      ),
      ...(images.length === 0 && refusal !== undefined ? { refusal } : {}),
    };
  },
};

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
