// A header of the user's own, as blur.c includes it.
#pragma once
typedef float pixel;
struct image_size {
  int width, height;
};
#define AT(size, y, x) ((y) * (size)->width + (x))
static const float ninth = 1.0f / 9.0f;
