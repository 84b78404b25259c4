import { below, itemsAt, textOf, usageOf, valueAt } from './image-adapter.ts';
import type { ImageAdapter, ImageShape } from './image-adapter.ts';

const sizes: Readonly<Record<ImageShape, string>> = {
  square: '1024x1024',
  landscape: '1536x1024',
  portrait: '1024x1536',
};

/** The Images API of OpenAI, for its GPT image models, which answer with base64: https://platform.openai.com/docs/api-reference/images */
export const openaiImages: ImageAdapter = {
  defaultUrl: 'https://api.openai.com/v1',
  provider: 'openai',
  request: ({ prompt, shape }, { url, key, model }) => ({
    url: below(url, 'images/generations'),
    headers: { authorization: `Bearer ${key}` },
    body: { model, prompt, n: 1, size: sizes[shape] },
  }),
  read(body) {
    const images = itemsAt(body, 'data').flatMap((item) => {
      const base64 = textOf(valueAt(item, 'b64_json'));
      return base64 === undefined ? [] : { base64, mediaType: undefined };
    });
    return { images, ...usageOf(valueAt(body, 'usage', 'input_tokens'), valueAt(body, 'usage', 'output_tokens')) };
  },
};
