#pragma once
// The foreign functions that the fast views call, one per macro and edge. C linkage; a plug-in with fast views is linked with
// fast_macros.cpp. Arguments as DPI-C passes them; the control words are packed by the *.sv files beside this one.
#include <cstdint>

extern "C" {

// control: [4:0] operation, [8:5] formats (a, b, c, y), [16:9] mask, [20:17] lanes. Returns the count of saturated results.
unsigned int wl_dpi_lanes(unsigned int control, unsigned long long a, unsigned long long b, unsigned long long c,
                          unsigned long long* y);
unsigned int wl_dpi_lanes8(unsigned int control, unsigned long long a0, unsigned long long a1, unsigned long long b0,
                           unsigned long long b1, unsigned long long c0, unsigned long long c1, unsigned long long* y0,
                           unsigned long long* y1);

// control: [2:0] operation, [4] first, [6:5] formats (a, b), [10:7] mask, [14:11] lanes, [16:15] selected accumulator.
unsigned int wl_dpi_acc(unsigned int control, unsigned long long a0, unsigned long long a1, unsigned long long b0,
                        unsigned long long b1, unsigned long long* acc0, unsigned long long* acc1, unsigned int* y);

// control: [1:0] operation, [3:2] formats (a, y). Returns the bits and, in bit 32, saturation.
unsigned long long wl_dpi_sfu(unsigned int control, unsigned int a);

// control: [7:0] enable per bank, [23:8] write enable, two per bank (low half first). row: 11 bits per bank, wdata and rdata
// 32 bits per bank, as arrays of 32-bit words. rdata changes only for banks that read.
void wl_dpi_sram(unsigned long long handle, unsigned int control, const unsigned int* row, const unsigned int* wdata,
                 unsigned int* rdata);
}
