/* SPDX-License-Identifier: MIT */
#include "base/colors.h"

bool
color_parse(struct slice text, struct color *color)
{
	if (text.size != 7 || text.data[0] != '#')
		return false;
	const int red = ascii_hex_byte(text.data + 1), green = ascii_hex_byte(text.data + 3),
		  blue = ascii_hex_byte(text.data + 5);
	*color = (struct color){ (unsigned char)red, (unsigned char)green, (unsigned char)blue };
	return red >= 0 && green >= 0 && blue >= 0;
}

/* The linear value of a component, by the usual polynomial: its error is far smaller than the rounding of contrasts. */
static double
linear(unsigned char component)
{
	const double c = component / 255.0;
	return c * (c * (c * 0.305306011 + 0.682171111) + 0.012522878);
}

static double
luminance(struct color color)
{
	return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue);
}

double
color_contrast(struct color a, struct color b)
{
	const double of_a = luminance(a) + 0.05, of_b = luminance(b) + 0.05;
	return of_a > of_b ? of_a / of_b : of_b / of_a;
}

struct color
color_on(struct color color)
{
	const struct color black = { 0, 0, 0 }, white = { 255, 255, 255 };
	return color_contrast(color, white) >= color_contrast(color, black) ? white : black;
}

static unsigned char
mixed(unsigned char a, unsigned char b, unsigned percent)
{
	return (unsigned char)((a * percent + b * (100 - percent) + 50) / 100);
}

struct color
color_mix(struct color a, struct color b, unsigned percent)
{
	return (struct color){ mixed(a.red, b.red, percent), mixed(a.green, b.green, percent), mixed(a.blue, b.blue, percent) };
}
