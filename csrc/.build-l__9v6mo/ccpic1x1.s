	.file	"kernels_avx512_bf16.cpp"
	.text
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110Bf16Engine12clear_unseenEPKfPfllm, @function
_ZN10torchpaged12_GLOBAL__N_110Bf16Engine12clear_unseenEPKfPfllm:
.LFB6816:
	.cfi_startproc
	movq	%rcx, %r11
	movq	%rdx, %r9
	xorl	%ecx, %ecx
	testq	%r11, %r11
	jle	.L16
	.p2align 4,,10
	.p2align 3
.L2:
	movq	%r8, %r10
	shrq	%cl, %r10
	movq	%r10, %rax
	andl	$1, %eax
	cmpq	$1, %rax
	sbbl	%edx, %edx
	negl	%eax
	andl	$-65535, %edx
	movzwl	%ax, %eax
	subl	$1, %edx
	andl	$2, %r10d
	cmovne	%edx, %eax
	testq	%r9, %r9
	jle	.L8
	movq	%rcx, %rdx
	vpbroadcastd	%eax, %zmm0
	xorl	%eax, %eax
	sarq	%rdx
	imulq	%r9, %rdx
	salq	$2, %rdx
	leaq	(%rdi,%rdx), %r10
	addq	%rsi, %rdx
	.p2align 4,,10
	.p2align 3
.L7:
	vpandd	(%r10,%rax,4), %zmm0, %zmm1
	vmovups	%zmm1, (%rdx,%rax,4)
	addq	$16, %rax
	cmpq	%rax, %r9
	jg	.L7
.L8:
	addq	$2, %rcx
	cmpq	%rcx, %r11
	jg	.L2
	vzeroupper
	ret
.L16:
	ret
	.cfi_endproc
.LFE6816:
	.size	_ZN10torchpaged12_GLOBAL__N_110Bf16Engine12clear_unseenEPKfPfllm, .-_ZN10torchpaged12_GLOBAL__N_110Bf16Engine12clear_unseenEPKfPfllm
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_122penalize_scratch_bytesEl, @function
_ZN10torchpaged12_GLOBAL__N_122penalize_scratch_bytesEl:
.LFB6889:
	.cfi_startproc
	addq	$63, %rdi
	shrq	$6, %rdi
	leaq	(%rdi,%rdi,4), %rax
	leaq	(%rdi,%rax,4), %rax
	salq	$4, %rax
	ret
	.cfi_endproc
.LFE6889:
	.size	_ZN10torchpaged12_GLOBAL__N_122penalize_scratch_bytesEl, .-_ZN10torchpaged12_GLOBAL__N_122penalize_scratch_bytesEl
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_120sample_scratch_bytesEl, @function
_ZN10torchpaged12_GLOBAL__N_120sample_scratch_bytesEl:
.LFB6923:
	.cfi_startproc
	movq	%rdi, %rdx
	leaq	254(%rdi), %rax
	addq	$127, %rdx
	cmovns	%rdx, %rax
	sarq	$7, %rax
	leaq	(%rax,%rdi,2), %rax
	salq	$2, %rax
	ret
	.cfi_endproc
.LFE6923:
	.size	_ZN10torchpaged12_GLOBAL__N_120sample_scratch_bytesEl, .-_ZN10torchpaged12_GLOBAL__N_120sample_scratch_bytesEl
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_116linear_tile_rowsINS0_7Bf16DotENS0_7VnniDotEEEiRKNS_12LinearParamsE, @function
_ZN10torchpaged12_GLOBAL__N_116linear_tile_rowsINS0_7Bf16DotENS0_7VnniDotEEEiRKNS_12LinearParamsE:
.LFB7021:
	.cfi_startproc
	movl	$14, %eax
	ret
	.cfi_endproc
.LFE7021:
	.size	_ZN10torchpaged12_GLOBAL__N_116linear_tile_rowsINS0_7Bf16DotENS0_7VnniDotEEEiRKNS_12LinearParamsE, .-_ZN10torchpaged12_GLOBAL__N_116linear_tile_rowsINS0_7Bf16DotENS0_7VnniDotEEEiRKNS_12LinearParamsE
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_120linear_scratch_bytesINS0_7Bf16DotENS0_7VnniDotEEEmRKNS_12LinearParamsEl, @function
_ZN10torchpaged12_GLOBAL__N_120linear_scratch_bytesINS0_7Bf16DotENS0_7VnniDotEEEmRKNS_12LinearParamsEl:
.LFB7031:
	.cfi_startproc
	movq	80(%rdi), %rdx
	salq	$2, %rdx
	leaq	126(%rdx), %rax
	addq	$63, %rdx
	cmovns	%rdx, %rax
	salq	$7, %rsi
	sarq	$6, %rax
	salq	$10, %rax
	cmpq	%rsi, %rax
	cmovl	%rsi, %rax
	addq	$64, %rax
	ret
	.cfi_endproc
.LFE7031:
	.size	_ZN10torchpaged12_GLOBAL__N_120linear_scratch_bytesINS0_7Bf16DotENS0_7VnniDotEEEmRKNS_12LinearParamsEl, .-_ZN10torchpaged12_GLOBAL__N_120linear_scratch_bytesINS0_7Bf16DotENS0_7VnniDotEEEmRKNS_12LinearParamsEl
	.align 2
	.p2align 4
	.type	_ZNK10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE8last_keyEv, @function
_ZNK10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE8last_keyEv:
.LFB7186:
	.cfi_startproc
	movq	8(%rdi), %r8
	movq	152(%rdi), %rsi
	movl	16(%r8), %ecx
	leal	-1(%rcx), %eax
	cltd
	idivl	%ecx
	movl	12(%r8), %eax
	movq	(%rdi), %rcx
	addl	%edx, %eax
	cltd
	idivl	256(%rcx)
	movq	%rsi, %rdx
	subq	160(%rdi), %rdx
	cltq
	addq	%rdx, %rax
	js	.L24
	cmpb	$0, 184(%rdi)
	je	.L22
	cmpb	$0, 185(%rdi)
	jne	.L22
	addq	$1, %rax
	cmpq	%rax, %rsi
	cmovg	%rax, %rsi
.L22:
	movq	%rsi, %rax
	ret
	.p2align 4,,10
	.p2align 3
.L24:
	xorl	%esi, %esi
	movq	%rsi, %rax
	ret
	.cfi_endproc
.LFE7186:
	.size	_ZNK10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE8last_keyEv, .-_ZNK10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE8last_keyEv
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi2ELi4EEEvPKfllS4_Pfb, @function
_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi2ELi4EEEvPKfllS4_Pfb:
.LFB7508:
	.cfi_startproc
	movq	%rdi, %rax
	testb	%r9b, %r9b
	je	.L29
	vmovups	(%r8), %zmm12
	vmovups	64(%r8), %zmm11
	vmovups	128(%r8), %zmm10
	vmovups	192(%r8), %zmm9
	vmovups	256(%r8), %zmm8
	vmovups	320(%r8), %zmm7
	vmovups	384(%r8), %zmm6
	vmovups	448(%r8), %zmm5
.L26:
	testq	%rdx, %rdx
	jle	.L27
	salq	$8, %rdx
	addq	%rcx, %rdx
	.p2align 4,,10
	.p2align 3
.L28:
	vbroadcastss	(%rax), %zmm4
	vmovups	(%rcx), %zmm3
	addq	$256, %rcx
	vmovups	-192(%rcx), %zmm2
	vmovups	-128(%rcx), %zmm1
	vfmadd231ps	%zmm3, %zmm4, %zmm12
	vmovups	-64(%rcx), %zmm0
	vfmadd231ps	%zmm2, %zmm4, %zmm11
	vfmadd231ps	%zmm1, %zmm4, %zmm10
	vfmadd231ps	%zmm0, %zmm4, %zmm9
	vbroadcastss	(%rax,%rsi,4), %zmm4
	addq	$4, %rax
	vfmadd231ps	%zmm3, %zmm4, %zmm8
	vfmadd231ps	%zmm2, %zmm4, %zmm7
	vfmadd231ps	%zmm1, %zmm4, %zmm6
	vfmadd231ps	%zmm0, %zmm4, %zmm5
	cmpq	%rcx, %rdx
	jne	.L28
.L27:
	vmovups	%zmm12, (%r8)
	vmovups	%zmm11, 64(%r8)
	vmovups	%zmm10, 128(%r8)
	vmovups	%zmm9, 192(%r8)
	vmovups	%zmm8, 256(%r8)
	vmovups	%zmm7, 320(%r8)
	vmovups	%zmm6, 384(%r8)
	vmovups	%zmm5, 448(%r8)
	vzeroupper
	ret
.L29:
	vxorps	%xmm6, %xmm6, %xmm6
	vmovaps	%zmm6, %zmm7
	vmovaps	%zmm6, %zmm8
	vmovaps	%zmm6, %zmm9
	vmovaps	%zmm6, %zmm10
	vmovaps	%zmm6, %zmm11
	vmovaps	%zmm6, %zmm12
	vmovaps	%zmm6, %zmm5
	jmp	.L26
	.cfi_endproc
.LFE7508:
	.size	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi2ELi4EEEvPKfllS4_Pfb, .-_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi2ELi4EEEvPKfllS4_Pfb
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi2ELi8EEEvPflPKfS5_S5_ll, @function
_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi2ELi8EEEvPflPKfS5_S5_ll:
.LFB7510:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	salq	$2, %rsi
	movq	%r8, %rax
	leaq	320(%rdi,%rsi), %r11
	leaq	384(%rdi,%rsi), %r10
	leaq	448(%rdi,%rsi), %r8
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	.cfi_offset 15, -24
	leaq	64(%rdi,%rsi), %r15
	pushq	%r14
	.cfi_offset 14, -32
	leaq	128(%rdi,%rsi), %r14
	pushq	%r13
	.cfi_offset 13, -40
	leaq	192(%rdi,%rsi), %r13
	pushq	%r12
	.cfi_offset 12, -48
	leaq	256(%rdi,%rsi), %r12
	pushq	%rbx
	.cfi_offset 3, -56
	leaq	(%rdi,%rsi), %rbx
	cmpq	$0, 16(%rbp)
	vbroadcastss	(%rdx), %zmm10
	vbroadcastss	4(%rdx), %zmm9
	vmulps	(%rdi), %zmm10, %zmm24
	vmulps	64(%rdi), %zmm10, %zmm23
	vmulps	128(%rdi), %zmm10, %zmm22
	vmulps	192(%rdi), %zmm10, %zmm21
	vmulps	256(%rdi), %zmm10, %zmm20
	vmulps	320(%rdi), %zmm10, %zmm19
	vmulps	384(%rdi), %zmm10, %zmm18
	vmulps	(%rbx), %zmm9, %zmm17
	vmulps	(%r15), %zmm9, %zmm16
	vmulps	(%r14), %zmm9, %zmm15
	vmulps	0(%r13), %zmm9, %zmm14
	vmulps	(%r12), %zmm9, %zmm13
	vmulps	(%r11), %zmm9, %zmm12
	vmulps	(%r10), %zmm9, %zmm11
	vmulps	448(%rdi), %zmm10, %zmm10
	vmulps	(%r8), %zmm9, %zmm9
	jle	.L32
	movq	%rcx, %rdx
	movq	16(%rbp), %rcx
	leaq	0(,%r9,4), %rsi
	leaq	(%rdx,%rcx,4), %rcx
	.p2align 4,,10
	.p2align 3
.L33:
	vbroadcastss	(%rdx), %zmm0
	vmovups	(%rax), %zmm8
	addq	$4, %rdx
	vmovups	64(%rax), %zmm7
	vmovups	128(%rax), %zmm6
	vmovups	192(%rax), %zmm5
	vmovups	256(%rax), %zmm4
	vmovups	320(%rax), %zmm3
	vmovups	384(%rax), %zmm2
	vmovups	448(%rax), %zmm1
	addq	%rsi, %rax
	vfmadd231ps	%zmm8, %zmm0, %zmm24
	vfmadd231ps	%zmm7, %zmm0, %zmm23
	vfmadd231ps	%zmm6, %zmm0, %zmm22
	vfmadd231ps	%zmm5, %zmm0, %zmm21
	vfmadd231ps	%zmm4, %zmm0, %zmm20
	vfmadd231ps	%zmm3, %zmm0, %zmm19
	vfmadd231ps	%zmm2, %zmm0, %zmm18
	vfmadd231ps	%zmm1, %zmm0, %zmm10
	vbroadcastss	252(%rdx), %zmm0
	vfmadd231ps	%zmm8, %zmm0, %zmm17
	vfmadd231ps	%zmm7, %zmm0, %zmm16
	vfmadd231ps	%zmm6, %zmm0, %zmm15
	vfmadd231ps	%zmm5, %zmm0, %zmm14
	vfmadd231ps	%zmm4, %zmm0, %zmm13
	vfmadd231ps	%zmm3, %zmm0, %zmm12
	vfmadd231ps	%zmm2, %zmm0, %zmm11
	vfmadd231ps	%zmm1, %zmm0, %zmm9
	cmpq	%rdx, %rcx
	jne	.L33
.L32:
	vmovups	%zmm24, (%rdi)
	vmovups	%zmm23, 64(%rdi)
	vmovups	%zmm22, 128(%rdi)
	vmovups	%zmm21, 192(%rdi)
	vmovups	%zmm20, 256(%rdi)
	vmovups	%zmm19, 320(%rdi)
	vmovups	%zmm18, 384(%rdi)
	vmovups	%zmm10, 448(%rdi)
	vmovups	%zmm17, (%rbx)
	vmovups	%zmm16, (%r15)
	vmovups	%zmm15, (%r14)
	vmovups	%zmm14, 0(%r13)
	vmovups	%zmm13, (%r12)
	vmovups	%zmm12, (%r11)
	vmovups	%zmm11, (%r10)
	vmovups	%zmm9, (%r8)
	vzeroupper
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE7510:
	.size	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi2ELi8EEEvPflPKfS5_S5_ll, .-_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi2ELi8EEEvPflPKfS5_S5_ll
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi3ELi4EEEvPKfllS4_Pfb, @function
_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi3ELi4EEEvPKfllS4_Pfb:
.LFB7512:
	.cfi_startproc
	testb	%r9b, %r9b
	je	.L40
	vmovups	(%r8), %zmm16
	vmovups	64(%r8), %zmm15
	vmovups	128(%r8), %zmm14
	vmovups	192(%r8), %zmm13
	vmovups	256(%r8), %zmm12
	vmovups	320(%r8), %zmm11
	vmovups	384(%r8), %zmm10
	vmovups	448(%r8), %zmm9
	vmovups	512(%r8), %zmm8
	vmovups	576(%r8), %zmm7
	vmovups	640(%r8), %zmm6
	vmovups	704(%r8), %zmm5
.L37:
	testq	%rdx, %rdx
	jle	.L38
	movq	%rcx, %rax
	salq	$8, %rdx
	leaq	(%rsi,%rsi), %r9
	movq	%rdi, %rcx
	addq	%rax, %rdx
	.p2align 4,,10
	.p2align 3
.L39:
	vbroadcastss	(%rcx), %zmm4
	vmovups	(%rax), %zmm3
	addq	$256, %rax
	vmovups	-192(%rax), %zmm2
	vmovups	-128(%rax), %zmm1
	vfmadd231ps	%zmm3, %zmm4, %zmm16
	vmovups	-64(%rax), %zmm0
	vfmadd231ps	%zmm2, %zmm4, %zmm15
	vfmadd231ps	%zmm1, %zmm4, %zmm14
	vfmadd231ps	%zmm0, %zmm4, %zmm13
	vbroadcastss	(%rcx,%rsi,4), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm12
	vfmadd231ps	%zmm2, %zmm4, %zmm11
	vfmadd231ps	%zmm1, %zmm4, %zmm10
	vfmadd231ps	%zmm0, %zmm4, %zmm9
	vbroadcastss	(%rcx,%r9,4), %zmm4
	addq	$4, %rcx
	vfmadd231ps	%zmm3, %zmm4, %zmm8
	vfmadd231ps	%zmm2, %zmm4, %zmm7
	vfmadd231ps	%zmm1, %zmm4, %zmm6
	vfmadd231ps	%zmm0, %zmm4, %zmm5
	cmpq	%rax, %rdx
	jne	.L39
.L38:
	vmovups	%zmm16, (%r8)
	vmovups	%zmm15, 64(%r8)
	vmovups	%zmm14, 128(%r8)
	vmovups	%zmm13, 192(%r8)
	vmovups	%zmm12, 256(%r8)
	vmovups	%zmm11, 320(%r8)
	vmovups	%zmm10, 384(%r8)
	vmovups	%zmm9, 448(%r8)
	vmovups	%zmm8, 512(%r8)
	vmovups	%zmm7, 576(%r8)
	vmovups	%zmm6, 640(%r8)
	vmovups	%zmm5, 704(%r8)
	vzeroupper
	ret
.L40:
	vxorps	%xmm6, %xmm6, %xmm6
	vmovaps	%zmm6, %zmm7
	vmovaps	%zmm6, %zmm8
	vmovaps	%zmm6, %zmm9
	vmovaps	%zmm6, %zmm10
	vmovaps	%zmm6, %zmm11
	vmovaps	%zmm6, %zmm12
	vmovaps	%zmm6, %zmm13
	vmovaps	%zmm6, %zmm14
	vmovaps	%zmm6, %zmm15
	vmovaps	%zmm6, %zmm16
	vmovaps	%zmm6, %zmm5
	jmp	.L37
	.cfi_endproc
.LFE7512:
	.size	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi3ELi4EEEvPKfllS4_Pfb, .-_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi3ELi4EEEvPKfllS4_Pfb
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi3ELi8EEEvPflPKfS5_S5_ll, @function
_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi3ELi8EEEvPflPKfS5_S5_ll:
.LFB7514:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rdx, %r10
	movq	%r8, %rax
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	subq	$8, %rsp
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	movq	%rcx, -72(%rsp)
	movq	%r9, %rcx
	vbroadcastss	(%rdx), %zmm10
	leaq	0(,%rsi,4), %rdx
	vbroadcastss	4(%r10), %zmm9
	leaq	(%rdi,%rdx), %r8
	leaq	448(%rdi,%rdx), %r15
	vbroadcastss	8(%r10), %zmm0
	vmulps	(%rdi), %zmm10, %zmm31
	leaq	64(%rdi,%rdx), %r14
	leaq	128(%rdi,%rdx), %r13
	vmulps	(%r8), %zmm9, %zmm24
	leaq	192(%rdi,%rdx), %r12
	leaq	256(%rdi,%rdx), %rbx
	vmulps	(%r14), %zmm9, %zmm23
	leaq	320(%rdi,%rdx), %r9
	leaq	384(%rdi,%rdx), %r11
	vmulps	0(%r13), %zmm9, %zmm22
	vmulps	(%r12), %zmm9, %zmm21
	vmovq	%r15, %xmm7
	vmulps	(%rbx), %zmm9, %zmm20
	vmulps	(%r9), %zmm9, %zmm19
	vmulps	(%r11), %zmm9, %zmm18
	vmulps	(%r15), %zmm9, %zmm9
	leaq	0(,%rsi,8), %r15
	leaq	(%r8,%rdx), %rsi
	vmulps	(%rsi), %zmm0, %zmm17
	leaq	128(%rdi,%r15), %r10
	movq	%rsi, -64(%rsp)
	leaq	64(%rdi,%r15), %rsi
	vmulps	64(%rdi), %zmm10, %zmm30
	vmovq	%r10, %xmm1
	vmulps	128(%rdi), %zmm10, %zmm29
	vmulps	192(%rdi), %zmm10, %zmm28
	vmulps	256(%rdi), %zmm10, %zmm27
	vmulps	320(%rdi), %zmm10, %zmm26
	vmulps	384(%rdi), %zmm10, %zmm25
	vmulps	(%rsi), %zmm0, %zmm16
	vmulps	448(%rdi), %zmm10, %zmm10
	vmulps	(%r10), %zmm0, %zmm15
	leaq	192(%rdi,%r15), %r10
	cmpq	$0, 16(%rbp)
	vmulps	(%r10), %zmm0, %zmm14
	vmovq	%r10, %xmm2
	leaq	256(%rdi,%r15), %r10
	vmulps	(%r10), %zmm0, %zmm13
	vmovq	%r10, %xmm3
	leaq	320(%rdi,%r15), %r10
	vmulps	(%r10), %zmm0, %zmm12
	vmovq	%r10, %xmm4
	leaq	384(%rdi,%r15), %r10
	vmulps	(%r10), %zmm0, %zmm11
	vmovq	%r10, %xmm5
	leaq	448(%rdi,%r15), %r10
	vmulps	(%r10), %zmm0, %zmm0
	vmovq	%r10, %xmm6
	vmovaps	%zmm0, -56(%rsp)
	jle	.L43
	movq	-72(%rsp), %rdx
	movq	16(%rbp), %r10
	vmovq	%xmm7, -72(%rsp)
	salq	$2, %rcx
	vmovq	%xmm1, -80(%rsp)
	vmovaps	%zmm11, %zmm7
	vmovaps	%zmm10, %zmm1
	leaq	(%rdx,%r10,4), %r15
	vmovq	%xmm2, -88(%rsp)
	movq	%r13, %r10
	vmovaps	%zmm25, %zmm2
	vmovq	%xmm3, -96(%rsp)
	vmovaps	%zmm24, %zmm25
	vmovaps	%zmm15, %zmm3
	vmovaps	%zmm23, %zmm24
	vmovq	%xmm4, -104(%rsp)
	vmovaps	%zmm22, %zmm23
	vmovaps	%zmm14, %zmm4
	vmovaps	%zmm21, %zmm22
	vmovq	%xmm5, -112(%rsp)
	vmovaps	%zmm20, %zmm21
	vmovaps	%zmm13, %zmm5
	vmovaps	%zmm19, %zmm20
	vmovq	%xmm6, -120(%rsp)
	vmovaps	%zmm18, %zmm19
	vmovaps	%zmm12, %zmm6
	vmovaps	%zmm9, %zmm18
	.p2align 4,,10
	.p2align 3
.L44:
	vbroadcastss	(%rdx), %zmm0
	vmovups	(%rax), %zmm15
	addq	$4, %rdx
	vmovups	64(%rax), %zmm14
	vfmadd231ps	%zmm15, %zmm0, %zmm31
	vmovups	128(%rax), %zmm13
	vmovups	192(%rax), %zmm12
	vfmadd231ps	%zmm14, %zmm0, %zmm30
	vmovups	256(%rax), %zmm11
	vfmadd231ps	%zmm13, %zmm0, %zmm29
	vmovups	320(%rax), %zmm10
	vfmadd231ps	%zmm12, %zmm0, %zmm28
	vmovups	384(%rax), %zmm9
	vfmadd231ps	%zmm11, %zmm0, %zmm27
	vmovups	448(%rax), %zmm8
	vfmadd231ps	%zmm10, %zmm0, %zmm26
	vfmadd231ps	%zmm9, %zmm0, %zmm2
	addq	%rcx, %rax
	vfmadd231ps	%zmm8, %zmm0, %zmm1
	vbroadcastss	252(%rdx), %zmm0
	vfmadd231ps	%zmm15, %zmm0, %zmm25
	vfmadd231ps	%zmm14, %zmm0, %zmm24
	vfmadd231ps	%zmm13, %zmm0, %zmm23
	vfmadd231ps	%zmm12, %zmm0, %zmm22
	vfmadd231ps	%zmm11, %zmm0, %zmm21
	vfmadd231ps	%zmm10, %zmm0, %zmm20
	vfmadd231ps	%zmm9, %zmm0, %zmm19
	vfmadd231ps	%zmm8, %zmm0, %zmm18
	vbroadcastss	508(%rdx), %zmm0
	vfmadd231ps	%zmm15, %zmm0, %zmm17
	vfmadd231ps	%zmm14, %zmm0, %zmm16
	vfmadd231ps	%zmm13, %zmm0, %zmm3
	vfmadd231ps	%zmm12, %zmm0, %zmm4
	vfmadd231ps	%zmm11, %zmm0, %zmm5
	vfmadd231ps	%zmm10, %zmm0, %zmm6
	vfmadd231ps	%zmm9, %zmm0, %zmm7
	vfmadd213ps	-56(%rsp), %zmm8, %zmm0
	vmovaps	%zmm0, -56(%rsp)
	cmpq	%rdx, %r15
	jne	.L44
	vmovaps	%zmm18, %zmm9
	vmovaps	%zmm1, %zmm10
	movq	%r10, %r13
	vmovq	-80(%rsp), %xmm1
	vmovaps	%zmm19, %zmm18
	vmovaps	%zmm3, %zmm15
	vmovaps	%zmm20, %zmm19
	vmovq	-96(%rsp), %xmm3
	vmovaps	%zmm21, %zmm20
	vmovaps	%zmm4, %zmm14
	vmovaps	%zmm22, %zmm21
	vmovq	-104(%rsp), %xmm4
	vmovaps	%zmm23, %zmm22
	vmovaps	%zmm5, %zmm13
	vmovaps	%zmm24, %zmm23
	vmovq	-112(%rsp), %xmm5
	vmovaps	%zmm25, %zmm24
	vmovaps	%zmm6, %zmm12
	vmovaps	%zmm2, %zmm25
	vmovq	-120(%rsp), %xmm6
	vmovaps	%zmm7, %zmm11
	vmovq	-88(%rsp), %xmm2
	vmovq	-72(%rsp), %xmm7
.L43:
	vmovq	%xmm7, %rax
	vmovups	%zmm31, (%rdi)
	vmovups	%zmm30, 64(%rdi)
	vmovups	%zmm29, 128(%rdi)
	vmovups	%zmm28, 192(%rdi)
	vmovups	%zmm27, 256(%rdi)
	vmovups	%zmm26, 320(%rdi)
	vmovups	%zmm25, 384(%rdi)
	vmovups	%zmm10, 448(%rdi)
	vmovups	%zmm24, (%r8)
	vmovups	%zmm23, (%r14)
	vmovups	%zmm22, 0(%r13)
	vmovups	%zmm21, (%r12)
	vmovups	%zmm20, (%rbx)
	vmovups	%zmm19, (%r9)
	vmovups	%zmm18, (%r11)
	vmovups	%zmm9, (%rax)
	movq	-64(%rsp), %rax
	vmovups	%zmm17, (%rax)
	vmovq	%xmm1, %rax
	vmovaps	-56(%rsp), %zmm1
	vmovups	%zmm16, (%rsi)
	vmovups	%zmm15, (%rax)
	vmovq	%xmm2, %rax
	vmovups	%zmm14, (%rax)
	vmovq	%xmm3, %rax
	vmovups	%zmm13, (%rax)
	vmovq	%xmm4, %rax
	vmovups	%zmm12, (%rax)
	vmovq	%xmm5, %rax
	vmovups	%zmm11, (%rax)
	vmovq	%xmm6, %rax
	vmovups	%zmm1, (%rax)
	vzeroupper
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE7514:
	.size	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi3ELi8EEEvPflPKfS5_S5_ll, .-_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi3ELi8EEEvPflPKfS5_S5_ll
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi4ELi4EEEvPKfllS4_Pfb, @function
_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi4ELi4EEEvPKfllS4_Pfb:
.LFB7516:
	.cfi_startproc
	movq	%rdx, %r10
	testb	%r9b, %r9b
	je	.L51
	vmovups	(%r8), %zmm20
	vmovups	64(%r8), %zmm19
	vmovups	128(%r8), %zmm18
	vmovups	192(%r8), %zmm17
	vmovups	256(%r8), %zmm16
	vmovups	320(%r8), %zmm15
	vmovups	384(%r8), %zmm14
	vmovups	448(%r8), %zmm13
	vmovups	512(%r8), %zmm12
	vmovups	576(%r8), %zmm11
	vmovups	640(%r8), %zmm10
	vmovups	704(%r8), %zmm9
	vmovups	768(%r8), %zmm8
	vmovups	832(%r8), %zmm7
	vmovups	896(%r8), %zmm6
	vmovups	960(%r8), %zmm5
.L48:
	testq	%r10, %r10
	jle	.L49
	leaq	(%rsi,%rsi), %r9
	salq	$8, %r10
	movq	%rcx, %rax
	movq	%rdi, %rdx
	leaq	(%r9,%rsi), %r11
	leaq	(%rcx,%r10), %rcx
	.p2align 4,,10
	.p2align 3
.L50:
	vbroadcastss	(%rdx), %zmm4
	vmovups	(%rax), %zmm3
	addq	$256, %rax
	vmovups	-192(%rax), %zmm2
	vmovups	-128(%rax), %zmm1
	vfmadd231ps	%zmm3, %zmm4, %zmm20
	vmovups	-64(%rax), %zmm0
	vfmadd231ps	%zmm2, %zmm4, %zmm19
	vfmadd231ps	%zmm1, %zmm4, %zmm18
	vfmadd231ps	%zmm0, %zmm4, %zmm17
	vbroadcastss	(%rdx,%rsi,4), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm16
	vfmadd231ps	%zmm2, %zmm4, %zmm15
	vfmadd231ps	%zmm1, %zmm4, %zmm14
	vfmadd231ps	%zmm0, %zmm4, %zmm13
	vbroadcastss	(%rdx,%r9,4), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm12
	vfmadd231ps	%zmm2, %zmm4, %zmm11
	vfmadd231ps	%zmm1, %zmm4, %zmm10
	vfmadd231ps	%zmm0, %zmm4, %zmm9
	vbroadcastss	(%rdx,%r11,4), %zmm4
	addq	$4, %rdx
	vfmadd231ps	%zmm3, %zmm4, %zmm8
	vfmadd231ps	%zmm2, %zmm4, %zmm7
	vfmadd231ps	%zmm1, %zmm4, %zmm6
	vfmadd231ps	%zmm0, %zmm4, %zmm5
	cmpq	%rax, %rcx
	jne	.L50
.L49:
	vmovups	%zmm20, (%r8)
	vmovups	%zmm19, 64(%r8)
	vmovups	%zmm18, 128(%r8)
	vmovups	%zmm17, 192(%r8)
	vmovups	%zmm16, 256(%r8)
	vmovups	%zmm15, 320(%r8)
	vmovups	%zmm14, 384(%r8)
	vmovups	%zmm13, 448(%r8)
	vmovups	%zmm12, 512(%r8)
	vmovups	%zmm11, 576(%r8)
	vmovups	%zmm10, 640(%r8)
	vmovups	%zmm9, 704(%r8)
	vmovups	%zmm8, 768(%r8)
	vmovups	%zmm7, 832(%r8)
	vmovups	%zmm6, 896(%r8)
	vmovups	%zmm5, 960(%r8)
	vzeroupper
	ret
.L51:
	vxorps	%xmm6, %xmm6, %xmm6
	vmovaps	%zmm6, %zmm7
	vmovaps	%zmm6, %zmm8
	vmovaps	%zmm6, %zmm9
	vmovaps	%zmm6, %zmm10
	vmovaps	%zmm6, %zmm11
	vmovaps	%zmm6, %zmm12
	vmovaps	%zmm6, %zmm13
	vmovaps	%zmm6, %zmm14
	vmovaps	%zmm6, %zmm15
	vmovaps	%zmm6, %zmm16
	vmovaps	%zmm6, %zmm17
	vmovaps	%zmm6, %zmm18
	vmovaps	%zmm6, %zmm19
	vmovaps	%zmm6, %zmm20
	vmovaps	%zmm6, %zmm5
	jmp	.L48
	.cfi_endproc
.LFE7516:
	.size	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi4ELi4EEEvPKfllS4_Pfb, .-_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi4ELi4EEEvPKfllS4_Pfb
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi4ELi8EEEvPflPKfS5_S5_ll, @function
_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi4ELi8EEEvPflPKfS5_S5_ll:
.LFB7518:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsi, %r10
	movq	%rdx, %rsi
	leaq	0(,%r10,4), %rax
	leaq	384(%rdi,%rax), %r11
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	.cfi_offset 15, -24
	leaq	64(%rdi,%rax), %r15
	pushq	%r14
	.cfi_offset 14, -32
	leaq	128(%rdi,%rax), %r14
	pushq	%r13
	.cfi_offset 13, -40
	leaq	192(%rdi,%rax), %r13
	pushq	%r12
	.cfi_offset 12, -48
	leaq	256(%rdi,%rax), %r12
	pushq	%rbx
	.cfi_offset 3, -56
	leaq	320(%rdi,%rax), %rbx
	andq	$-64, %rsp
	subq	$584, %rsp
	movq	%rcx, -56(%rsp)
	leaq	448(%rdi,%rax), %rcx
	movq	%r9, -72(%rsp)
	leaq	(%rdi,%rax), %r9
	vbroadcastss	(%rdx), %zmm0
	vmulps	(%rdi), %zmm0, %zmm17
	movq	%rcx, (%rsp)
	vmulps	448(%rdi), %zmm0, %zmm2
	movq	%r8, -64(%rsp)
	leaq	(%r9,%rax), %r8
	vmulps	64(%rdi), %zmm0, %zmm16
	vmulps	128(%rdi), %zmm0, %zmm15
	vmulps	192(%rdi), %zmm0, %zmm31
	vmulps	256(%rdi), %zmm0, %zmm30
	vmulps	320(%rdi), %zmm0, %zmm29
	vmovaps	%zmm2, 456(%rsp)
	vmulps	384(%rdi), %zmm0, %zmm28
	vbroadcastss	4(%rdx), %zmm0
	leaq	0(,%r10,8), %rdx
	vmulps	(%rcx), %zmm0, %zmm3
	leaq	64(%rdi,%rdx), %rcx
	vmulps	(%r9), %zmm0, %zmm27
	vmulps	(%r15), %zmm0, %zmm26
	vmulps	(%r14), %zmm0, %zmm25
	vmulps	0(%r13), %zmm0, %zmm14
	vmulps	(%r12), %zmm0, %zmm13
	vmulps	(%rbx), %zmm0, %zmm12
	vmulps	(%r11), %zmm0, %zmm11
	vmovq	%rcx, %xmm0
	vmovaps	%zmm3, 520(%rsp)
	vbroadcastss	8(%rsi), %zmm10
	vmulps	(%rcx), %zmm10, %zmm23
	leaq	128(%rdi,%rdx), %rcx
	cmpq	$0, 16(%rbp)
	vmulps	(%rcx), %zmm10, %zmm22
	vmovq	%rcx, %xmm2
	leaq	192(%rdi,%rdx), %rcx
	vbroadcastss	12(%rsi), %zmm9
	vmulps	(%rcx), %zmm10, %zmm21
	vmovq	%rcx, %xmm3
	leaq	256(%rdi,%rdx), %rcx
	vmulps	(%rcx), %zmm10, %zmm20
	vmovq	%rcx, %xmm4
	leaq	320(%rdi,%rdx), %rcx
	vmulps	(%rcx), %zmm10, %zmm19
	vmovq	%rcx, %xmm5
	leaq	384(%rdi,%rdx), %rcx
	vmulps	(%rcx), %zmm10, %zmm18
	vmovq	%rcx, %xmm6
	leaq	(%r10,%r10,2), %rcx
	leaq	(%r8,%rax), %r10
	leaq	64(,%rcx,4), %rax
	vmulps	(%r8), %zmm10, %zmm24
	vmulps	(%r10), %zmm9, %zmm1
	leaq	(%rdi,%rax), %rsi
	leaq	448(%rdi,%rdx), %rdx
	vmovq	%rsi, %xmm8
	vmovq	%rdx, %xmm7
	vmulps	(%rdx), %zmm10, %zmm10
	leaq	0(,%rcx,4), %rdx
	vmovaps	%zmm1, 392(%rsp)
	vmulps	(%rsi), %zmm9, %zmm1
	leaq	64(%rdi,%rax), %rsi
	movq	%rsi, -8(%rsp)
	vmovaps	%zmm1, 328(%rsp)
	vmulps	(%rsi), %zmm9, %zmm1
	leaq	192(%rdi,%rdx), %rsi
	movq	%rsi, -16(%rsp)
	vmovaps	%zmm1, 264(%rsp)
	vmulps	(%rsi), %zmm9, %zmm1
	leaq	192(%rdi,%rax), %rsi
	movq	%rsi, -24(%rsp)
	vmovaps	%zmm1, 200(%rsp)
	vmulps	(%rsi), %zmm9, %zmm1
	leaq	256(%rdi,%rax), %rsi
	movq	%rsi, -32(%rsp)
	vmovaps	%zmm1, 136(%rsp)
	vmulps	(%rsi), %zmm9, %zmm1
	leaq	384(%rdi,%rdx), %rsi
	movq	%rsi, -40(%rsp)
	vmovaps	%zmm1, 72(%rsp)
	vmulps	(%rsi), %zmm9, %zmm1
	leaq	384(%rdi,%rax), %rsi
	vmulps	(%rsi), %zmm9, %zmm9
	movq	%rsi, -48(%rsp)
	vmovaps	%zmm1, 8(%rsp)
	jle	.L54
	movq	-72(%rsp), %rcx
	movq	-56(%rsp), %rdx
	vmovq	%xmm3, -72(%rsp)
	vmovaps	%zmm26, %zmm3
	movq	16(%rbp), %rsi
	movq	-64(%rsp), %rax
	vmovq	%xmm0, -56(%rsp)
	vmovaps	%zmm11, %zmm26
	vmovq	%xmm2, -64(%rsp)
	salq	$2, %rcx
	vmovaps	%zmm25, %zmm2
	vmovaps	%zmm14, %zmm0
	vmovaps	%zmm24, %zmm25
	vmovq	%xmm4, -80(%rsp)
	vmovaps	%zmm23, %zmm24
	vmovaps	%zmm27, %zmm4
	vmovaps	%zmm22, %zmm23
	vmovq	%xmm5, -88(%rsp)
	vmovaps	%zmm21, %zmm22
	vmovaps	%zmm28, %zmm5
	vmovaps	%zmm20, %zmm21
	vmovq	%xmm6, -96(%rsp)
	leaq	(%rdx,%rsi,4), %rsi
	vmovaps	%zmm19, %zmm20
	vmovaps	%zmm18, %zmm6
	vmovq	%xmm7, -104(%rsp)
	vmovaps	%zmm15, %zmm19
	vmovaps	%zmm12, %zmm27
	vmovq	%xmm8, -112(%rsp)
	vmovaps	%zmm13, %zmm28
	vmovaps	%zmm16, %zmm18
	vmovaps	%zmm10, %zmm7
	vmovaps	%zmm9, %zmm8
	.p2align 4,,10
	.p2align 3
.L55:
	vbroadcastss	(%rdx), %zmm9
	vmovups	(%rax), %zmm16
	addq	$4, %rdx
	vmovups	64(%rax), %zmm15
	vfmadd231ps	%zmm16, %zmm9, %zmm17
	vmovups	128(%rax), %zmm14
	vfmadd231ps	%zmm15, %zmm9, %zmm18
	vfmadd231ps	%zmm14, %zmm9, %zmm19
	vmovups	192(%rax), %zmm13
	vmovups	256(%rax), %zmm12
	vfmadd231ps	%zmm13, %zmm9, %zmm31
	vfmadd231ps	%zmm12, %zmm9, %zmm30
	vmovups	320(%rax), %zmm11
	vmovups	384(%rax), %zmm10
	vfmadd231ps	%zmm11, %zmm9, %zmm29
	vfmadd231ps	%zmm10, %zmm9, %zmm5
	vmovups	448(%rax), %zmm1
	addq	%rcx, %rax
	vfmadd213ps	456(%rsp), %zmm1, %zmm9
	vmovaps	%zmm9, 456(%rsp)
	vbroadcastss	252(%rdx), %zmm9
	vfmadd231ps	%zmm16, %zmm9, %zmm4
	vfmadd231ps	%zmm15, %zmm9, %zmm3
	vfmadd231ps	%zmm14, %zmm9, %zmm2
	vfmadd231ps	%zmm13, %zmm9, %zmm0
	vfmadd231ps	%zmm12, %zmm9, %zmm28
	vfmadd231ps	%zmm11, %zmm9, %zmm27
	vfmadd231ps	%zmm10, %zmm9, %zmm26
	vfmadd213ps	520(%rsp), %zmm1, %zmm9
	vmovaps	%zmm9, 520(%rsp)
	vbroadcastss	508(%rdx), %zmm9
	vfmadd231ps	%zmm16, %zmm9, %zmm25
	vfmadd231ps	%zmm15, %zmm9, %zmm24
	vfmadd231ps	%zmm14, %zmm9, %zmm23
	vfmadd231ps	%zmm13, %zmm9, %zmm22
	vfmadd231ps	%zmm12, %zmm9, %zmm21
	vfmadd231ps	%zmm11, %zmm9, %zmm20
	vfmadd231ps	%zmm10, %zmm9, %zmm6
	vfmadd231ps	%zmm1, %zmm9, %zmm7
	vbroadcastss	764(%rdx), %zmm9
	vfmadd213ps	392(%rsp), %zmm9, %zmm16
	vfmadd213ps	328(%rsp), %zmm9, %zmm15
	vfmadd213ps	72(%rsp), %zmm9, %zmm11
	vfmadd213ps	8(%rsp), %zmm9, %zmm10
	vfmadd213ps	264(%rsp), %zmm9, %zmm14
	vfmadd231ps	%zmm1, %zmm9, %zmm8
	vfmadd213ps	200(%rsp), %zmm9, %zmm13
	vfmadd213ps	136(%rsp), %zmm9, %zmm12
	vmovaps	%zmm16, 392(%rsp)
	vmovaps	%zmm15, 328(%rsp)
	vmovaps	%zmm14, 264(%rsp)
	vmovaps	%zmm13, 200(%rsp)
	vmovaps	%zmm12, 136(%rsp)
	vmovaps	%zmm11, 72(%rsp)
	vmovaps	%zmm10, 8(%rsp)
	cmpq	%rdx, %rsi
	jne	.L55
	vmovaps	%zmm18, %zmm16
	vmovaps	%zmm19, %zmm15
	vmovaps	%zmm26, %zmm11
	vmovaps	%zmm20, %zmm19
	vmovaps	%zmm27, %zmm12
	vmovaps	%zmm21, %zmm20
	vmovaps	%zmm28, %zmm13
	vmovaps	%zmm22, %zmm21
	vmovaps	%zmm0, %zmm14
	vmovq	-56(%rsp), %xmm0
	vmovaps	%zmm23, %zmm22
	vmovaps	%zmm3, %zmm26
	vmovaps	%zmm24, %zmm23
	vmovq	-72(%rsp), %xmm3
	vmovaps	%zmm25, %zmm24
	vmovaps	%zmm4, %zmm27
	vmovaps	%zmm2, %zmm25
	vmovq	-80(%rsp), %xmm4
	vmovaps	%zmm5, %zmm28
	vmovaps	%zmm6, %zmm18
	vmovaps	%zmm7, %zmm10
	vmovq	-64(%rsp), %xmm2
	vmovaps	%zmm8, %zmm9
	vmovq	-88(%rsp), %xmm5
	vmovq	-96(%rsp), %xmm6
	vmovq	-104(%rsp), %xmm7
	vmovq	-112(%rsp), %xmm8
.L54:
	vmovaps	456(%rsp), %zmm1
	movq	(%rsp), %rax
	vmovups	%zmm15, 128(%rdi)
	vmovups	%zmm17, (%rdi)
	vmovups	%zmm1, 448(%rdi)
	vmovaps	520(%rsp), %zmm1
	vmovups	%zmm16, 64(%rdi)
	vmovups	%zmm31, 192(%rdi)
	vmovups	%zmm30, 256(%rdi)
	vmovups	%zmm29, 320(%rdi)
	vmovups	%zmm28, 384(%rdi)
	vmovups	%zmm27, (%r9)
	vmovups	%zmm26, (%r15)
	vmovups	%zmm25, (%r14)
	vmovups	%zmm14, 0(%r13)
	vmovups	%zmm13, (%r12)
	vmovups	%zmm12, (%rbx)
	vmovups	%zmm11, (%r11)
	vmovups	%zmm1, (%rax)
	vmovq	%xmm0, %rax
	vmovups	%zmm24, (%r8)
	vmovups	%zmm23, (%rax)
	vmovq	%xmm2, %rax
	vmovups	%zmm22, (%rax)
	vmovq	%xmm3, %rax
	vmovups	%zmm21, (%rax)
	vmovq	%xmm4, %rax
	vmovaps	392(%rsp), %zmm4
	vmovups	%zmm20, (%rax)
	vmovq	%xmm5, %rax
	vmovaps	328(%rsp), %zmm5
	vmovups	%zmm19, (%rax)
	vmovq	%xmm6, %rax
	vmovups	%zmm18, (%rax)
	vmovq	%xmm7, %rax
	vmovups	%zmm10, (%rax)
	vmovq	%xmm8, %rax
	vmovups	%zmm4, (%r10)
	vmovups	%zmm5, (%rax)
	movq	-8(%rsp), %rax
	vmovaps	264(%rsp), %zmm6
	vmovaps	72(%rsp), %zmm3
	vmovaps	8(%rsp), %zmm4
	vmovups	%zmm6, (%rax)
	movq	-16(%rsp), %rax
	vmovaps	200(%rsp), %zmm7
	vmovaps	136(%rsp), %zmm2
	vmovups	%zmm7, (%rax)
	movq	-24(%rsp), %rax
	vmovups	%zmm2, (%rax)
	movq	-32(%rsp), %rax
	vmovups	%zmm3, (%rax)
	movq	-40(%rsp), %rax
	vmovups	%zmm4, (%rax)
	movq	-48(%rsp), %rax
	vmovups	%zmm9, (%rax)
	vzeroupper
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE7518:
	.size	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi4ELi8EEEvPflPKfS5_S5_ll, .-_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi4ELi8EEEvPflPKfS5_S5_ll
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi5ELi4EEEvPKfllS4_Pfb, @function
_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi5ELi4EEEvPKfllS4_Pfb:
.LFB7520:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsi, %r10
	movq	%rcx, %rax
	movq	%rdx, %rsi
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%rbx
	.cfi_offset 3, -24
	testb	%r9b, %r9b
	je	.L62
	vmovups	(%r8), %zmm24
	vmovups	64(%r8), %zmm23
	vmovups	128(%r8), %zmm22
	vmovups	192(%r8), %zmm21
	vmovups	256(%r8), %zmm20
	vmovups	320(%r8), %zmm19
	vmovups	384(%r8), %zmm18
	vmovups	448(%r8), %zmm17
	vmovups	512(%r8), %zmm16
	vmovups	576(%r8), %zmm15
	vmovups	640(%r8), %zmm14
	vmovups	704(%r8), %zmm13
	vmovups	768(%r8), %zmm12
	vmovups	832(%r8), %zmm11
	vmovups	896(%r8), %zmm10
	vmovups	960(%r8), %zmm9
	vmovups	1024(%r8), %zmm8
	vmovups	1088(%r8), %zmm7
	vmovups	1152(%r8), %zmm6
	vmovups	1216(%r8), %zmm5
.L59:
	testq	%rsi, %rsi
	jle	.L60
	leaq	(%r10,%r10), %r9
	salq	$8, %rsi
	leaq	0(,%r10,4), %r11
	movq	%rdi, %rdx
	leaq	(%r9,%r10), %rbx
	leaq	(%rax,%rsi), %rcx
	.p2align 4,,10
	.p2align 3
.L61:
	vbroadcastss	(%rdx), %zmm4
	vmovups	(%rax), %zmm3
	addq	$256, %rax
	vmovups	-192(%rax), %zmm2
	vmovups	-128(%rax), %zmm1
	vfmadd231ps	%zmm3, %zmm4, %zmm24
	vmovups	-64(%rax), %zmm0
	vfmadd231ps	%zmm2, %zmm4, %zmm23
	vfmadd231ps	%zmm1, %zmm4, %zmm22
	vfmadd231ps	%zmm0, %zmm4, %zmm21
	vbroadcastss	(%rdx,%r10,4), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm20
	vfmadd231ps	%zmm2, %zmm4, %zmm19
	vfmadd231ps	%zmm1, %zmm4, %zmm18
	vfmadd231ps	%zmm0, %zmm4, %zmm17
	vbroadcastss	(%rdx,%r9,4), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm16
	vfmadd231ps	%zmm2, %zmm4, %zmm15
	vfmadd231ps	%zmm1, %zmm4, %zmm14
	vfmadd231ps	%zmm0, %zmm4, %zmm13
	vbroadcastss	(%rdx,%rbx,4), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm12
	vfmadd231ps	%zmm2, %zmm4, %zmm11
	vfmadd231ps	%zmm1, %zmm4, %zmm10
	vfmadd231ps	%zmm0, %zmm4, %zmm9
	vbroadcastss	(%rdx,%r11,4), %zmm4
	addq	$4, %rdx
	vfmadd231ps	%zmm3, %zmm4, %zmm8
	vfmadd231ps	%zmm2, %zmm4, %zmm7
	vfmadd231ps	%zmm1, %zmm4, %zmm6
	vfmadd231ps	%zmm0, %zmm4, %zmm5
	cmpq	%rax, %rcx
	jne	.L61
.L60:
	vmovups	%zmm24, (%r8)
	vmovups	%zmm23, 64(%r8)
	vmovups	%zmm22, 128(%r8)
	vmovups	%zmm21, 192(%r8)
	vmovups	%zmm20, 256(%r8)
	vmovups	%zmm19, 320(%r8)
	vmovups	%zmm18, 384(%r8)
	vmovups	%zmm17, 448(%r8)
	vmovups	%zmm16, 512(%r8)
	vmovups	%zmm15, 576(%r8)
	vmovups	%zmm14, 640(%r8)
	vmovups	%zmm13, 704(%r8)
	vmovups	%zmm12, 768(%r8)
	vmovups	%zmm11, 832(%r8)
	vmovups	%zmm10, 896(%r8)
	vmovups	%zmm9, 960(%r8)
	vmovups	%zmm8, 1024(%r8)
	vmovups	%zmm7, 1088(%r8)
	vmovups	%zmm6, 1152(%r8)
	vmovups	%zmm5, 1216(%r8)
	vzeroupper
	movq	-8(%rbp), %rbx
	leave
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L62:
	.cfi_restore_state
	vxorps	%xmm6, %xmm6, %xmm6
	vmovaps	%zmm6, %zmm7
	vmovaps	%zmm6, %zmm8
	vmovaps	%zmm6, %zmm9
	vmovaps	%zmm6, %zmm10
	vmovaps	%zmm6, %zmm11
	vmovaps	%zmm6, %zmm12
	vmovaps	%zmm6, %zmm13
	vmovaps	%zmm6, %zmm14
	vmovaps	%zmm6, %zmm15
	vmovaps	%zmm6, %zmm16
	vmovaps	%zmm6, %zmm17
	vmovaps	%zmm6, %zmm18
	vmovaps	%zmm6, %zmm19
	vmovaps	%zmm6, %zmm20
	vmovaps	%zmm6, %zmm21
	vmovaps	%zmm6, %zmm22
	vmovaps	%zmm6, %zmm23
	vmovaps	%zmm6, %zmm24
	vmovaps	%zmm6, %zmm5
	jmp	.L59
	.cfi_endproc
.LFE7520:
	.size	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi5ELi4EEEvPKfllS4_Pfb, .-_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi5ELi4EEEvPKfllS4_Pfb
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi5ELi4EEEvPflPKfS5_S5_ll, @function
_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi5ELi4EEEvPflPKfS5_S5_ll:
.LFB7522:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsi, %rax
	movq	%rdx, %rsi
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	movq	%rcx, -16(%rsp)
	leaq	(%rax,%rax,2), %rcx
	vbroadcastss	(%rdx), %zmm9
	leaq	0(,%rax,4), %rdx
	movq	%r8, -24(%rsp)
	leaq	64(,%rcx,4), %r11
	leaq	64(%rdi,%rdx), %rbx
	leaq	(%rdi,%rdx), %r10
	vbroadcastss	4(%rsi), %zmm8
	movq	%r9, -32(%rsp)
	vmulps	(%rbx), %zmm8, %zmm20
	leaq	0(,%rax,8), %r8
	leaq	(%r10,%rdx), %r9
	vbroadcastss	12(%rsi), %zmm6
	vmovq	%rbx, %xmm1
	leaq	128(%rdi,%rdx), %rbx
	leaq	192(%rdi,%rcx,4), %rcx
	salq	$4, %rax
	vmulps	(%rbx), %zmm8, %zmm19
	leaq	64(%rdi,%r8), %r14
	leaq	128(%rdi,%r8), %r13
	vbroadcastss	8(%rsi), %zmm7
	leaq	192(%rdi,%r8), %r12
	vmovq	%rbx, %xmm0
	leaq	(%r9,%rdx), %r8
	leaq	(%rdi,%r11), %rbx
	leaq	64(%rdi,%r11), %r11
	vmulps	(%r8), %zmm6, %zmm15
	vmulps	(%rbx), %zmm6, %zmm14
	leaq	192(%rdi,%rdx), %r15
	vmovq	%rcx, %xmm2
	vmulps	(%r11), %zmm6, %zmm13
	vmulps	(%rcx), %zmm6, %zmm6
	leaq	(%r8,%rdx), %rcx
	vmulps	(%rdi), %zmm9, %zmm24
	movq	%rcx, -8(%rsp)
	vmulps	64(%rdi), %zmm9, %zmm23
	vmulps	128(%rdi), %zmm9, %zmm22
	vmulps	(%r10), %zmm8, %zmm21
	vmulps	(%r9), %zmm7, %zmm18
	vmulps	(%r14), %zmm7, %zmm17
	vmulps	0(%r13), %zmm7, %zmm16
	vmulps	192(%rdi), %zmm9, %zmm9
	vmulps	(%r15), %zmm8, %zmm8
	vmulps	(%r12), %zmm7, %zmm7
	vbroadcastss	16(%rsi), %zmm5
	leaq	64(%rdi,%rax), %rsi
	vmulps	(%rsi), %zmm5, %zmm11
	vmovq	%rsi, %xmm3
	cmpq	$0, 16(%rbp)
	leaq	128(%rdi,%rax), %rsi
	leaq	192(%rdi,%rax), %rax
	vmulps	(%rcx), %zmm5, %zmm12
	vmulps	(%rsi), %zmm5, %zmm10
	vmovq	%rsi, %xmm25
	vmovq	%rax, %xmm26
	vmulps	(%rax), %zmm5, %zmm5
	jle	.L66
	movq	-32(%rsp), %rsi
	movq	-16(%rsp), %rax
	vmovdqa64	%xmm1, %xmm27
	vmovdqa64	%xmm0, %xmm28
	movq	16(%rbp), %rcx
	movq	-24(%rsp), %rdx
	vmovdqa64	%xmm2, %xmm29
	vmovdqa64	%xmm3, %xmm30
	salq	$2, %rsi
	leaq	(%rax,%rcx,4), %rcx
	.p2align 4,,10
	.p2align 3
.L67:
	vbroadcastss	(%rax), %zmm4
	vmovups	(%rdx), %zmm3
	addq	$4, %rax
	vmovups	64(%rdx), %zmm2
	vfmadd231ps	%zmm3, %zmm4, %zmm24
	vmovups	128(%rdx), %zmm1
	vmovups	192(%rdx), %zmm0
	vfmadd231ps	%zmm2, %zmm4, %zmm23
	vfmadd231ps	%zmm1, %zmm4, %zmm22
	addq	%rsi, %rdx
	vfmadd231ps	%zmm0, %zmm4, %zmm9
	vbroadcastss	252(%rax), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm21
	vfmadd231ps	%zmm2, %zmm4, %zmm20
	vfmadd231ps	%zmm1, %zmm4, %zmm19
	vfmadd231ps	%zmm0, %zmm4, %zmm8
	vbroadcastss	508(%rax), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm18
	vfmadd231ps	%zmm2, %zmm4, %zmm17
	vfmadd231ps	%zmm1, %zmm4, %zmm16
	vfmadd231ps	%zmm0, %zmm4, %zmm7
	vbroadcastss	764(%rax), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm15
	vfmadd231ps	%zmm2, %zmm4, %zmm14
	vfmadd231ps	%zmm1, %zmm4, %zmm13
	vfmadd231ps	%zmm0, %zmm4, %zmm6
	vbroadcastss	1020(%rax), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm12
	vfmadd231ps	%zmm2, %zmm4, %zmm11
	vfmadd231ps	%zmm1, %zmm4, %zmm10
	vfmadd231ps	%zmm0, %zmm4, %zmm5
	cmpq	%rax, %rcx
	jne	.L67
	vmovdqa64	%xmm27, %xmm1
	vmovdqa64	%xmm28, %xmm0
	vmovdqa64	%xmm29, %xmm2
	vmovdqa64	%xmm30, %xmm3
.L66:
	vmovq	%xmm1, %rax
	vmovups	%zmm24, (%rdi)
	vmovups	%zmm23, 64(%rdi)
	vmovups	%zmm22, 128(%rdi)
	vmovups	%zmm9, 192(%rdi)
	vmovups	%zmm21, (%r10)
	vmovups	%zmm20, (%rax)
	vmovq	%xmm0, %rax
	vmovups	%zmm19, (%rax)
	vmovq	%xmm2, %rax
	vmovups	%zmm8, (%r15)
	vmovups	%zmm18, (%r9)
	vmovups	%zmm17, (%r14)
	vmovups	%zmm16, 0(%r13)
	vmovups	%zmm7, (%r12)
	vmovups	%zmm15, (%r8)
	vmovups	%zmm14, (%rbx)
	vmovups	%zmm13, (%r11)
	vmovups	%zmm6, (%rax)
	movq	-8(%rsp), %rax
	vmovups	%zmm12, (%rax)
	vmovq	%xmm3, %rax
	vmovups	%zmm11, (%rax)
	vmovq	%xmm25, %rax
	vmovups	%zmm10, (%rax)
	vmovq	%xmm26, %rax
	vmovups	%zmm5, (%rax)
	vzeroupper
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE7522:
	.size	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi5ELi4EEEvPflPKfS5_S5_ll, .-_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi5ELi4EEEvPflPKfS5_S5_ll
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi6ELi4EEEvPKfllS4_Pfb, @function
_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi6ELi4EEEvPKfllS4_Pfb:
.LFB7524:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rdi, %rax
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%rbx
	.cfi_offset 3, -24
	testb	%r9b, %r9b
	je	.L74
	vmovups	(%r8), %zmm28
	vmovups	64(%r8), %zmm27
	vmovups	128(%r8), %zmm26
	vmovups	192(%r8), %zmm25
	vmovups	256(%r8), %zmm24
	vmovups	320(%r8), %zmm23
	vmovups	384(%r8), %zmm22
	vmovups	448(%r8), %zmm21
	vmovups	512(%r8), %zmm20
	vmovups	576(%r8), %zmm19
	vmovups	640(%r8), %zmm18
	vmovups	704(%r8), %zmm17
	vmovups	768(%r8), %zmm16
	vmovups	832(%r8), %zmm15
	vmovups	896(%r8), %zmm14
	vmovups	960(%r8), %zmm13
	vmovups	1024(%r8), %zmm12
	vmovups	1088(%r8), %zmm11
	vmovups	1152(%r8), %zmm10
	vmovups	1216(%r8), %zmm9
	vmovups	1280(%r8), %zmm8
	vmovups	1344(%r8), %zmm7
	vmovups	1408(%r8), %zmm6
	vmovups	1472(%r8), %zmm5
.L71:
	testq	%rsi, %rsi
	jle	.L72
	leaq	(%rdi,%rdi), %r10
	leaq	0(,%rdi,4), %r9
	salq	$8, %rsi
	movq	%rcx, %rdx
	leaq	(%r10,%rdi), %rbx
	leaq	(%r9,%rdi), %r11
	leaq	(%rcx,%rsi), %rcx
	.p2align 4,,10
	.p2align 3
.L73:
	vbroadcastss	(%rax), %zmm4
	vmovups	(%rdx), %zmm3
	addq	$256, %rdx
	vmovups	-192(%rdx), %zmm2
	vmovups	-128(%rdx), %zmm1
	vfmadd231ps	%zmm3, %zmm4, %zmm28
	vmovups	-64(%rdx), %zmm0
	vfmadd231ps	%zmm2, %zmm4, %zmm27
	vfmadd231ps	%zmm1, %zmm4, %zmm26
	vfmadd231ps	%zmm0, %zmm4, %zmm25
	vbroadcastss	(%rax,%rdi,4), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm24
	vfmadd231ps	%zmm2, %zmm4, %zmm23
	vfmadd231ps	%zmm1, %zmm4, %zmm22
	vfmadd231ps	%zmm0, %zmm4, %zmm21
	vbroadcastss	(%rax,%r10,4), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm20
	vfmadd231ps	%zmm2, %zmm4, %zmm19
	vfmadd231ps	%zmm1, %zmm4, %zmm18
	vfmadd231ps	%zmm0, %zmm4, %zmm17
	vbroadcastss	(%rax,%rbx,4), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm16
	vfmadd231ps	%zmm2, %zmm4, %zmm15
	vfmadd231ps	%zmm1, %zmm4, %zmm14
	vfmadd231ps	%zmm0, %zmm4, %zmm13
	vbroadcastss	(%rax,%r9,4), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm12
	vfmadd231ps	%zmm2, %zmm4, %zmm11
	vfmadd231ps	%zmm1, %zmm4, %zmm10
	vfmadd231ps	%zmm0, %zmm4, %zmm9
	vbroadcastss	(%rax,%r11,4), %zmm4
	addq	$4, %rax
	vfmadd231ps	%zmm3, %zmm4, %zmm8
	vfmadd231ps	%zmm2, %zmm4, %zmm7
	vfmadd231ps	%zmm1, %zmm4, %zmm6
	vfmadd231ps	%zmm0, %zmm4, %zmm5
	cmpq	%rdx, %rcx
	jne	.L73
.L72:
	vmovups	%zmm28, (%r8)
	vmovups	%zmm27, 64(%r8)
	vmovups	%zmm26, 128(%r8)
	vmovups	%zmm25, 192(%r8)
	vmovups	%zmm24, 256(%r8)
	vmovups	%zmm23, 320(%r8)
	vmovups	%zmm22, 384(%r8)
	vmovups	%zmm21, 448(%r8)
	vmovups	%zmm20, 512(%r8)
	vmovups	%zmm19, 576(%r8)
	vmovups	%zmm18, 640(%r8)
	vmovups	%zmm17, 704(%r8)
	vmovups	%zmm16, 768(%r8)
	vmovups	%zmm15, 832(%r8)
	vmovups	%zmm14, 896(%r8)
	vmovups	%zmm13, 960(%r8)
	vmovups	%zmm12, 1024(%r8)
	vmovups	%zmm11, 1088(%r8)
	vmovups	%zmm10, 1152(%r8)
	vmovups	%zmm9, 1216(%r8)
	vmovups	%zmm8, 1280(%r8)
	vmovups	%zmm7, 1344(%r8)
	vmovups	%zmm6, 1408(%r8)
	vmovups	%zmm5, 1472(%r8)
	vzeroupper
	movq	-8(%rbp), %rbx
	leave
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L74:
	.cfi_restore_state
	vxorps	%xmm6, %xmm6, %xmm6
	vmovaps	%zmm6, %zmm7
	vmovaps	%zmm6, %zmm8
	vmovaps	%zmm6, %zmm9
	vmovaps	%zmm6, %zmm10
	vmovaps	%zmm6, %zmm11
	vmovaps	%zmm6, %zmm12
	vmovaps	%zmm6, %zmm13
	vmovaps	%zmm6, %zmm14
	vmovaps	%zmm6, %zmm15
	vmovaps	%zmm6, %zmm16
	vmovaps	%zmm6, %zmm17
	vmovaps	%zmm6, %zmm18
	vmovaps	%zmm6, %zmm19
	vmovaps	%zmm6, %zmm20
	vmovaps	%zmm6, %zmm21
	vmovaps	%zmm6, %zmm22
	vmovaps	%zmm6, %zmm23
	vmovaps	%zmm6, %zmm24
	vmovaps	%zmm6, %zmm25
	vmovaps	%zmm6, %zmm26
	vmovaps	%zmm6, %zmm27
	vmovaps	%zmm6, %zmm28
	vmovaps	%zmm6, %zmm5
	jmp	.L71
	.cfi_endproc
.LFE7524:
	.size	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi6ELi4EEEvPKfllS4_Pfb, .-_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi6ELi4EEEvPKfllS4_Pfb
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi6ELi4EEEvPflPKfS5_S5_ll, @function
_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi6ELi4EEEvPflPKfS5_S5_ll:
.LFB7526:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsi, %rax
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	.cfi_offset 15, -24
	movq	%rdx, %r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	movq	%rcx, -40(%rsp)
	leaq	0(,%rsi,4), %rcx
	vbroadcastss	(%rdx), %zmm10
	leaq	(%rdi,%rcx), %r10
	vbroadcastss	4(%rdx), %zmm9
	leaq	0(,%rsi,8), %rdx
	movq	%r9, -56(%rsp)
	vbroadcastss	8(%r15), %zmm8
	leaq	(%r10,%rcx), %r9
	leaq	128(%rdi,%rdx), %rsi
	vmulps	(%rsi), %zmm8, %zmm20
	leaq	64(%rdi,%rdx), %rbx
	movq	%r8, -48(%rsp)
	vmovq	%rsi, %xmm4
	vmulps	(%r9), %zmm8, %zmm22
	leaq	(%r9,%rcx), %r8
	leaq	192(%rdi,%rdx), %rsi
	vbroadcastss	12(%r15), %zmm7
	leaq	(%rax,%rax,2), %rdx
	vmulps	(%rbx), %zmm8, %zmm21
	vmovq	%rsi, %xmm0
	vbroadcastss	16(%r15), %zmm6
	vmulps	(%rsi), %zmm8, %zmm8
	leaq	64(,%rdx,4), %rsi
	leaq	64(%rdi,%rcx), %r14
	leaq	(%rdi,%rsi), %r11
	leaq	64(%rdi,%rsi), %rsi
	vmulps	(%r8), %zmm7, %zmm19
	vmulps	(%rsi), %zmm7, %zmm17
	vmovq	%rsi, %xmm2
	leaq	192(%rdi,%rdx,4), %rsi
	movq	%rax, %rdx
	leaq	16(%rcx,%rax), %rax
	salq	$4, %rdx
	leaq	128(%rdi,%rcx), %r13
	salq	$2, %rax
	leaq	192(%rdi,%rcx), %r12
	vmovq	%rsi, %xmm3
	vmulps	(%r11), %zmm7, %zmm18
	vmovq	%r11, %xmm1
	leaq	64(%rdi,%rdx), %r11
	vmulps	(%rsi), %zmm7, %zmm7
	leaq	(%r8,%rcx), %rsi
	vmovq	%r11, %xmm29
	vmulps	(%rdi), %zmm10, %zmm28
	vmulps	64(%rdi), %zmm10, %zmm27
	vmulps	128(%rdi), %zmm10, %zmm26
	vmulps	(%r10), %zmm9, %zmm25
	vmulps	(%r14), %zmm9, %zmm24
	vmulps	0(%r13), %zmm9, %zmm23
	vmulps	192(%rdi), %zmm10, %zmm10
	vmulps	(%r12), %zmm9, %zmm9
	vmulps	(%rsi), %zmm6, %zmm16
	vbroadcastss	20(%r15), %zmm5
	leaq	(%rdi,%rax), %r15
	vmulps	(%r11), %zmm6, %zmm15
	cmpq	$0, 16(%rbp)
	movq	%r15, -16(%rsp)
	leaq	128(%rdi,%rdx), %r11
	vmulps	(%r15), %zmm5, %zmm12
	leaq	64(%rdi,%rax), %r15
	vmovq	%r11, %xmm30
	vmulps	(%r11), %zmm6, %zmm14
	movq	%r15, -24(%rsp)
	leaq	192(%rdi,%rdx), %r11
	leaq	(%rsi,%rcx), %rdx
	vmulps	(%r15), %zmm5, %zmm11
	movq	%rdx, -8(%rsp)
	leaq	128(%rdi,%rax), %r15
	vmovq	%r11, %xmm31
	vmulps	(%rdx), %zmm5, %zmm13
	movq	%r15, -32(%rsp)
	vmulps	(%r11), %zmm6, %zmm6
	vmulps	(%r15), %zmm5, %zmm5
	jle	.L78
	movq	-56(%rsp), %r15
	movq	-40(%rsp), %rax
	vmovq	%xmm2, -56(%rsp)
	movq	16(%rbp), %r11
	movq	-48(%rsp), %rdx
	vmovq	%xmm0, -40(%rsp)
	salq	$2, %r15
	vmovq	%xmm1, -48(%rsp)
	movq	%r15, %rcx
	vmovq	%xmm3, -64(%rsp)
	leaq	(%rax,%r11,4), %r15
	vmovq	%xmm4, %r11
	.p2align 4,,10
	.p2align 3
.L79:
	vbroadcastss	(%rax), %zmm4
	vmovups	(%rdx), %zmm3
	addq	$4, %rax
	vmovups	64(%rdx), %zmm2
	vfmadd231ps	%zmm3, %zmm4, %zmm28
	vmovups	128(%rdx), %zmm1
	vmovups	192(%rdx), %zmm0
	vfmadd231ps	%zmm2, %zmm4, %zmm27
	vfmadd231ps	%zmm1, %zmm4, %zmm26
	addq	%rcx, %rdx
	vfmadd231ps	%zmm0, %zmm4, %zmm10
	vbroadcastss	252(%rax), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm25
	vfmadd231ps	%zmm2, %zmm4, %zmm24
	vfmadd231ps	%zmm1, %zmm4, %zmm23
	vfmadd231ps	%zmm0, %zmm4, %zmm9
	vbroadcastss	508(%rax), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm22
	vfmadd231ps	%zmm2, %zmm4, %zmm21
	vfmadd231ps	%zmm1, %zmm4, %zmm20
	vfmadd231ps	%zmm0, %zmm4, %zmm8
	vbroadcastss	764(%rax), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm19
	vfmadd231ps	%zmm2, %zmm4, %zmm18
	vfmadd231ps	%zmm1, %zmm4, %zmm17
	vfmadd231ps	%zmm0, %zmm4, %zmm7
	vbroadcastss	1020(%rax), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm16
	vfmadd231ps	%zmm2, %zmm4, %zmm15
	vfmadd231ps	%zmm1, %zmm4, %zmm14
	vfmadd231ps	%zmm0, %zmm4, %zmm6
	vbroadcastss	1276(%rax), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm13
	vfmadd231ps	%zmm2, %zmm4, %zmm12
	vfmadd231ps	%zmm1, %zmm4, %zmm11
	vfmadd231ps	%zmm0, %zmm4, %zmm5
	cmpq	%rax, %r15
	jne	.L79
	vmovq	-40(%rsp), %xmm0
	vmovq	-48(%rsp), %xmm1
	vmovq	%r11, %xmm4
	vmovq	-56(%rsp), %xmm2
	vmovq	-64(%rsp), %xmm3
.L78:
	vmovq	%xmm4, %rax
	vmovups	%zmm28, (%rdi)
	vmovups	%zmm27, 64(%rdi)
	vmovups	%zmm26, 128(%rdi)
	vmovups	%zmm10, 192(%rdi)
	vmovups	%zmm25, (%r10)
	vmovups	%zmm24, (%r14)
	vmovups	%zmm23, 0(%r13)
	vmovups	%zmm9, (%r12)
	vmovups	%zmm22, (%r9)
	vmovups	%zmm21, (%rbx)
	vmovups	%zmm20, (%rax)
	vmovq	%xmm0, %rax
	vmovups	%zmm8, (%rax)
	vmovq	%xmm1, %rax
	vmovups	%zmm19, (%r8)
	vmovups	%zmm18, (%rax)
	vmovq	%xmm2, %rax
	vmovups	%zmm17, (%rax)
	vmovq	%xmm3, %rax
	vmovups	%zmm7, (%rax)
	vmovq	%xmm29, %rax
	vmovups	%zmm16, (%rsi)
	vmovups	%zmm15, (%rax)
	vmovq	%xmm30, %rax
	vmovups	%zmm14, (%rax)
	vmovq	%xmm31, %rax
	vmovups	%zmm6, (%rax)
	movq	-8(%rsp), %rax
	vmovups	%zmm13, (%rax)
	movq	-16(%rsp), %rax
	vmovups	%zmm12, (%rax)
	movq	-24(%rsp), %rax
	vmovups	%zmm11, (%rax)
	movq	-32(%rsp), %rax
	vmovups	%zmm5, (%rax)
	vzeroupper
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE7526:
	.size	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi6ELi4EEEvPflPKfS5_S5_ll, .-_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi6ELi4EEEvPflPKfS5_S5_ll
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi2ELi4EEEvPflPKfS5_S5_ll, @function
_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi2ELi4EEEvPflPKfS5_S5_ll:
.LFB7570:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rcx, %rax
	leaq	0(,%rsi,4), %rcx
	leaq	64(%rdi,%rcx), %r11
	leaq	128(%rdi,%rcx), %r10
	leaq	192(%rdi,%rcx), %rsi
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r12
	.cfi_offset 12, -24
	leaq	(%rdi,%rcx), %r12
	pushq	%rbx
	.cfi_offset 3, -32
	movq	16(%rbp), %rbx
	vbroadcastss	(%rdx), %zmm6
	vbroadcastss	4(%rdx), %zmm5
	vmulps	(%rdi), %zmm6, %zmm12
	vmulps	64(%rdi), %zmm6, %zmm11
	vmulps	128(%rdi), %zmm6, %zmm10
	vmulps	(%r12), %zmm5, %zmm9
	vmulps	(%r11), %zmm5, %zmm8
	vmulps	(%r10), %zmm5, %zmm7
	vmulps	192(%rdi), %zmm6, %zmm6
	vmulps	(%rsi), %zmm5, %zmm5
	testq	%rbx, %rbx
	jle	.L83
	leaq	0(,%r9,4), %rdx
	leaq	(%rax,%rbx,4), %rcx
	.p2align 4,,10
	.p2align 3
.L84:
	vbroadcastss	(%rax), %zmm4
	vmovups	(%r8), %zmm3
	addq	$4, %rax
	vmovups	64(%r8), %zmm2
	vmovups	128(%r8), %zmm1
	vmovups	192(%r8), %zmm0
	addq	%rdx, %r8
	vfmadd231ps	%zmm3, %zmm4, %zmm12
	vfmadd231ps	%zmm2, %zmm4, %zmm11
	vfmadd231ps	%zmm1, %zmm4, %zmm10
	vfmadd231ps	%zmm0, %zmm4, %zmm6
	vbroadcastss	252(%rax), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm9
	vfmadd231ps	%zmm2, %zmm4, %zmm8
	vfmadd231ps	%zmm1, %zmm4, %zmm7
	vfmadd231ps	%zmm0, %zmm4, %zmm5
	cmpq	%rax, %rcx
	jne	.L84
.L83:
	vmovups	%zmm12, (%rdi)
	vmovups	%zmm11, 64(%rdi)
	vmovups	%zmm10, 128(%rdi)
	vmovups	%zmm6, 192(%rdi)
	vmovups	%zmm9, (%r12)
	vmovups	%zmm8, (%r11)
	vmovups	%zmm7, (%r10)
	vmovups	%zmm5, (%rsi)
	vzeroupper
	popq	%rbx
	popq	%r12
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE7570:
	.size	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi2ELi4EEEvPflPKfS5_S5_ll, .-_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi2ELi4EEEvPflPKfS5_S5_ll
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi3ELi4EEEvPflPKfS5_S5_ll, @function
_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi3ELi4EEEvPflPKfS5_S5_ll:
.LFB7572:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsi, %r10
	movq	%rcx, %rax
	leaq	0(,%rsi,4), %rcx
	salq	$3, %r10
	leaq	(%rdi,%rcx), %rsi
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	.cfi_offset 15, -24
	leaq	64(%rdi,%rcx), %r15
	pushq	%r14
	.cfi_offset 14, -32
	leaq	128(%rdi,%rcx), %r14
	pushq	%r13
	.cfi_offset 13, -40
	leaq	192(%rdi,%rcx), %r13
	addq	%rsi, %rcx
	pushq	%r12
	.cfi_offset 12, -48
	leaq	64(%rdi,%r10), %r12
	pushq	%rbx
	.cfi_offset 3, -56
	movq	16(%rbp), %r11
	leaq	128(%rdi,%r10), %rbx
	leaq	192(%rdi,%r10), %r10
	vbroadcastss	(%rdx), %zmm7
	vbroadcastss	4(%rdx), %zmm6
	vbroadcastss	8(%rdx), %zmm5
	vmulps	(%rdi), %zmm7, %zmm16
	vmulps	64(%rdi), %zmm7, %zmm15
	vmulps	128(%rdi), %zmm7, %zmm14
	vmulps	(%rsi), %zmm6, %zmm13
	vmulps	(%r15), %zmm6, %zmm12
	vmulps	(%r14), %zmm6, %zmm11
	vmulps	(%rcx), %zmm5, %zmm10
	vmulps	(%r12), %zmm5, %zmm9
	vmulps	(%rbx), %zmm5, %zmm8
	vmulps	192(%rdi), %zmm7, %zmm7
	vmulps	0(%r13), %zmm6, %zmm6
	vmulps	(%r10), %zmm5, %zmm5
	testq	%r11, %r11
	jle	.L88
	salq	$2, %r9
	leaq	(%rax,%r11,4), %rdx
	.p2align 4,,10
	.p2align 3
.L89:
	vbroadcastss	(%rax), %zmm4
	vmovups	(%r8), %zmm3
	addq	$4, %rax
	vmovups	64(%r8), %zmm2
	vfmadd231ps	%zmm3, %zmm4, %zmm16
	vmovups	128(%r8), %zmm1
	vmovups	192(%r8), %zmm0
	vfmadd231ps	%zmm2, %zmm4, %zmm15
	vfmadd231ps	%zmm1, %zmm4, %zmm14
	addq	%r9, %r8
	vfmadd231ps	%zmm0, %zmm4, %zmm7
	vbroadcastss	252(%rax), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm13
	vfmadd231ps	%zmm2, %zmm4, %zmm12
	vfmadd231ps	%zmm1, %zmm4, %zmm11
	vfmadd231ps	%zmm0, %zmm4, %zmm6
	vbroadcastss	508(%rax), %zmm4
	vfmadd231ps	%zmm3, %zmm4, %zmm10
	vfmadd231ps	%zmm2, %zmm4, %zmm9
	vfmadd231ps	%zmm1, %zmm4, %zmm8
	vfmadd231ps	%zmm0, %zmm4, %zmm5
	cmpq	%rax, %rdx
	jne	.L89
.L88:
	vmovups	%zmm16, (%rdi)
	vmovups	%zmm15, 64(%rdi)
	vmovups	%zmm14, 128(%rdi)
	vmovups	%zmm7, 192(%rdi)
	vmovups	%zmm13, (%rsi)
	vmovups	%zmm12, (%r15)
	vmovups	%zmm11, (%r14)
	vmovups	%zmm6, 0(%r13)
	vmovups	%zmm10, (%rcx)
	vmovups	%zmm9, (%r12)
	vmovups	%zmm8, (%rbx)
	vmovups	%zmm5, (%r10)
	vzeroupper
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE7572:
	.size	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi3ELi4EEEvPflPKfS5_S5_ll, .-_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi3ELi4EEEvPflPKfS5_S5_ll
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi2ELi2EEEvPflPKfS5_S5_ll, @function
_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi2ELi2EEEvPflPKfS5_S5_ll:
.LFB7620:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rcx, %rax
	leaq	0(,%rsi,4), %rcx
	vbroadcastss	(%rdx), %zmm4
	leaq	(%rdi,%rcx), %r10
	leaq	64(%rdi,%rcx), %rsi
	vbroadcastss	4(%rdx), %zmm3
	vmulps	(%rdi), %zmm4, %zmm6
	vmulps	(%r10), %zmm3, %zmm5
	vmulps	64(%rdi), %zmm4, %zmm4
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	movq	16(%rbp), %r11
	vmulps	(%rsi), %zmm3, %zmm3
	testq	%r11, %r11
	jle	.L93
	leaq	0(,%r9,4), %rdx
	leaq	(%rax,%r11,4), %rcx
	.p2align 4,,10
	.p2align 3
.L94:
	vbroadcastss	(%rax), %zmm2
	vmovups	(%r8), %zmm1
	addq	$4, %rax
	vmovups	64(%r8), %zmm0
	addq	%rdx, %r8
	vfmadd231ps	%zmm1, %zmm2, %zmm6
	vfmadd231ps	%zmm0, %zmm2, %zmm4
	vbroadcastss	252(%rax), %zmm2
	vfmadd231ps	%zmm1, %zmm2, %zmm5
	vfmadd231ps	%zmm0, %zmm2, %zmm3
	cmpq	%rax, %rcx
	jne	.L94
.L93:
	vmovups	%zmm6, (%rdi)
	vmovups	%zmm4, 64(%rdi)
	vmovups	%zmm5, (%r10)
	vmovups	%zmm3, (%rsi)
	vzeroupper
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE7620:
	.size	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi2ELi2EEEvPflPKfS5_S5_ll, .-_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi2ELi2EEEvPflPKfS5_S5_ll
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi3ELi2EEEvPflPKfS5_S5_ll, @function
_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi3ELi2EEEvPflPKfS5_S5_ll:
.LFB7622:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rcx, %rax
	leaq	0(,%rsi,4), %rcx
	leaq	64(%rdi,%rsi,8), %rsi
	leaq	(%rdi,%rcx), %r10
	leaq	(%r10,%rcx), %r11
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r12
	.cfi_offset 12, -24
	leaq	64(%rdi,%rcx), %r12
	pushq	%rbx
	.cfi_offset 3, -32
	movq	16(%rbp), %rbx
	vbroadcastss	(%rdx), %zmm5
	vbroadcastss	4(%rdx), %zmm4
	vbroadcastss	8(%rdx), %zmm3
	vmulps	(%rdi), %zmm5, %zmm8
	vmulps	(%r10), %zmm4, %zmm7
	vmulps	(%r11), %zmm3, %zmm6
	vmulps	64(%rdi), %zmm5, %zmm5
	vmulps	(%r12), %zmm4, %zmm4
	vmulps	(%rsi), %zmm3, %zmm3
	testq	%rbx, %rbx
	jle	.L98
	leaq	0(,%r9,4), %rdx
	leaq	(%rax,%rbx,4), %rcx
	.p2align 4,,10
	.p2align 3
.L99:
	vbroadcastss	(%rax), %zmm2
	vmovups	(%r8), %zmm1
	addq	$4, %rax
	vmovups	64(%r8), %zmm0
	vfmadd231ps	%zmm1, %zmm2, %zmm8
	addq	%rdx, %r8
	vfmadd231ps	%zmm0, %zmm2, %zmm5
	vbroadcastss	252(%rax), %zmm2
	vfmadd231ps	%zmm1, %zmm2, %zmm7
	vfmadd231ps	%zmm0, %zmm2, %zmm4
	vbroadcastss	508(%rax), %zmm2
	vfmadd231ps	%zmm1, %zmm2, %zmm6
	vfmadd231ps	%zmm0, %zmm2, %zmm3
	cmpq	%rax, %rcx
	jne	.L99
.L98:
	vmovups	%zmm8, (%rdi)
	vmovups	%zmm5, 64(%rdi)
	vmovups	%zmm7, (%r10)
	vmovups	%zmm4, (%r12)
	vmovups	%zmm6, (%r11)
	vmovups	%zmm3, (%rsi)
	vzeroupper
	popq	%rbx
	popq	%r12
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE7622:
	.size	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi3ELi2EEEvPflPKfS5_S5_ll, .-_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi3ELi2EEEvPflPKfS5_S5_ll
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_18logit_atERKNS_8LogitRowEl, @function
_ZN10torchpaged12_GLOBAL__N_18logit_atERKNS_8LogitRowEl:
.LFB6855:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	andq	$-64, %rsp
	movl	8(%rdi), %eax
	movq	(%rdi), %rdx
	cmpl	$1, %eax
	je	.L103
	cmpl	$2, %eax
	je	.L104
	vmovss	(%rdx,%rsi,4), %xmm0
	leave
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
	.p2align 4,,10
	.p2align 3
.L103:
	.cfi_restore_state
	movzwl	(%rdx,%rsi,2), %eax
	vpxor	%xmm0, %xmm0, %xmm0
	vmovdqu8	%xmm0, -62(%rsp)
	movw	%ax, -64(%rsp)
	vmovdqu8	%xmm0, -48(%rsp)
	vcvtph2ps	-64(%rsp), %zmm0
	vzeroupper
	leave
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
	.p2align 4,,10
	.p2align 3
.L104:
	.cfi_restore_state
	movzwl	(%rdx,%rsi,2), %eax
	vpxor	%xmm0, %xmm0, %xmm0
	vmovdqu8	%xmm0, -62(%rsp)
	movw	%ax, -64(%rsp)
	vmovdqu8	%xmm0, -48(%rsp)
	vpmovzxwd	-64(%rsp), %zmm0
	vpslld	$16, %zmm0, %zmm0
	vzeroupper
	leave
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE6855:
	.size	_ZN10torchpaged12_GLOBAL__N_18logit_atERKNS_8LogitRowEl, .-_ZN10torchpaged12_GLOBAL__N_18logit_atERKNS_8LogitRowEl
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_116copy_allowed_rowERKNS_7EditRowE, @function
_ZN10torchpaged12_GLOBAL__N_116copy_allowed_rowERKNS_7EditRowE:
.LFB6701:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	.cfi_offset 15, -24
	movq	%rdi, %r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	subq	$320, %rsp
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	movq	(%rdi), %rax
	movl	8(%rdi), %edx
	movq	%rax, 248(%rsp)
	movq	16(%rdi), %rax
	cmpl	$1, %edx
	je	.L110
	cmpl	$2, %edx
	je	.L111
	testq	%rax, %rax
	jle	.L159
	xorl	%ebx, %ebx
	.p2align 4,,10
	.p2align 3
.L132:
	movq	24(%r15), %rdx
	movl	$-1, %r14d
	testq	%rdx, %rdx
	je	.L130
	movq	%rbx, %rcx
	sarq	$5, %rcx
	movl	(%rdx,%rcx,4), %r14d
.L130:
	leaq	32(%rbx), %r12
	movq	%rax, %r8
	cmpq	%rax, %r12
	cmovle	%r12, %r8
	cmpq	%rbx, %r8
	jle	.L137
	vbroadcastss	.LC1(%rip), %zmm0
	subq	%rbx, %r8
	xorl	%r13d, %r13d
	salq	$2, %rbx
	leaq	-1(%r8), %r10
	andq	$-16, %r10
	jmp	.L136
	.p2align 4,,10
	.p2align 3
.L163:
	vmovaps	%zmm0, %zmm1
	testl	%r14d, %r14d
	je	.L134
	movq	248(%rsp), %rax
	kmovw	%ecx, %k3
	vblendmps	(%rax,%rbx), %zmm0, %zmm1{%k3}
.L134:
	movq	32(%r15), %rax
	vmovups	%zmm1, (%rax,%rbx)
.L135:
	leaq	16(%r13), %rax
	subq	$16, %r8
	addq	$64, %rbx
	cmpq	%r13, %r10
	je	.L162
	movq	%rax, %r13
.L136:
	movl	%r13d, %ecx
	movl	%r14d, %eax
	shrl	%cl, %eax
	movl	%eax, %ecx
	cmpq	$15, %r8
	jg	.L163
	leaq	0(,%r8,4), %rdx
	movq	%r10, 64(%rsp)
	vpxor	%xmm4, %xmm4, %xmm4
	leaq	256(%rsp), %rdi
	movq	%r8, 232(%rsp)
	movq	%rdx, 240(%rsp)
	movl	%eax, 128(%rsp)
	movq	248(%rsp), %rax
	vmovdqa64	%zmm4, 256(%rsp)
	vmovaps	%zmm0, (%rsp)
	leaq	(%rax,%rbx), %rsi
	vzeroupper
	call	memcpy@PLT
	vmovaps	(%rsp), %zmm0
	movl	128(%rsp), %ecx
	movq	%rax, %rdi
	movq	32(%r15), %rax
	movq	240(%rsp), %rdx
	kmovw	%ecx, %k6
	movq	%rdi, %rsi
	vblendmps	256(%rsp), %zmm0, %zmm1{%k6}
	vmovaps	%zmm0, 128(%rsp)
	vmovaps	%zmm1, 256(%rsp)
	addq	%rbx, %rax
	movq	%rax, %rdi
	vzeroupper
	call	memcpy@PLT
	movq	64(%rsp), %r10
	movq	232(%rsp), %r8
	vmovaps	128(%rsp), %zmm0
	jmp	.L135
	.p2align 4,,10
	.p2align 3
.L161:
	vzeroupper
.L159:
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
	.p2align 4,,10
	.p2align 3
.L162:
	.cfi_restore_state
	movq	16(%r15), %rax
.L137:
	cmpq	%rax, %r12
	jge	.L161
	movq	%r12, %rbx
	jmp	.L132
.L110:
	xorl	%edx, %edx
	testq	%rax, %rax
	jle	.L159
	.p2align 4,,10
	.p2align 3
.L113:
	movq	24(%r15), %rcx
	movl	$-1, %r9d
	testq	%rcx, %rcx
	je	.L114
	movq	%rdx, %rsi
	sarq	$5, %rsi
	movl	(%rcx,%rsi,4), %r9d
.L114:
	leaq	32(%rdx), %r12
	cmpq	%r12, %rax
	movq	%r12, %rbx
	cmovle	%rax, %rbx
	cmpq	%rdx, %rbx
	jle	.L121
	movq	248(%rsp), %rax
	subq	%rdx, %rbx
	xorl	%r13d, %r13d
	vbroadcastss	.LC1(%rip), %zmm0
	leaq	-1(%rbx), %r10
	leaq	0(,%rdx,4), %r14
	leaq	(%rax,%rdx,2), %r8
	andq	$-16, %r10
	jmp	.L120
	.p2align 4,,10
	.p2align 3
.L165:
	vmovaps	%zmm0, %zmm1
	testl	%r9d, %r9d
	je	.L118
	kmovw	%eax, %k1
	vcvtph2ps	(%r8), %zmm1{%k1}
.L118:
	movq	32(%r15), %rax
	vmovups	%zmm1, (%rax,%r14)
.L119:
	leaq	16(%r13), %rax
	subq	$16, %rbx
	addq	$64, %r14
	addq	$32, %r8
	cmpq	%r13, %r10
	je	.L164
	movq	%rax, %r13
.L120:
	movl	%r9d, %eax
	movl	%r13d, %ecx
	shrl	%cl, %eax
	cmpq	$15, %rbx
	jg	.L165
	movq	%r10, (%rsp)
	vpxor	%xmm2, %xmm2, %xmm2
	movq	%r8, %rsi
	leaq	(%rbx,%rbx), %rdx
	movl	%r9d, 232(%rsp)
	leaq	256(%rsp), %rdi
	movq	%r8, 240(%rsp)
	movl	%eax, 64(%rsp)
	vmovdqa	%ymm2, 256(%rsp)
	vmovaps	%zmm0, 128(%rsp)
	vzeroupper
	call	memcpy@PLT
	movl	64(%rsp), %ecx
	vmovaps	128(%rsp), %zmm0
	movq	%rax, %rdi
	movq	32(%r15), %rax
	leaq	0(,%rbx,4), %rdx
	vmovaps	%zmm0, %zmm1
	movq	%rdi, %rsi
	kmovw	%ecx, %k4
	vcvtph2ps	256(%rsp), %zmm1{%k4}
	vmovaps	%zmm1, 256(%rsp)
	addq	%r14, %rax
	movq	%rax, %rdi
	vzeroupper
	call	memcpy@PLT
	movq	(%rsp), %r10
	movl	232(%rsp), %r9d
	movq	240(%rsp), %r8
	vmovaps	128(%rsp), %zmm0
	jmp	.L119
	.p2align 4,,10
	.p2align 3
.L164:
	movq	16(%r15), %rax
.L121:
	cmpq	%rax, %r12
	jge	.L161
	movq	%r12, %rdx
	jmp	.L113
.L111:
	testq	%rax, %rax
	jle	.L159
	xorl	%edx, %edx
	.p2align 4,,10
	.p2align 3
.L124:
	movq	24(%r15), %rcx
	movl	$-1, %r10d
	testq	%rcx, %rcx
	je	.L122
	movq	%rdx, %rsi
	sarq	$5, %rsi
	movl	(%rcx,%rsi,4), %r10d
.L122:
	leaq	32(%rdx), %rsi
	cmpq	%rax, %rsi
	movq	%rsi, %rbx
	movq	%rsi, (%rsp)
	cmovg	%rax, %rbx
	cmpq	%rdx, %rbx
	jle	.L129
	movq	248(%rsp), %rax
	subq	%rdx, %rbx
	xorl	%r13d, %r13d
	vbroadcastss	.LC1(%rip), %zmm0
	leaq	-1(%rbx), %r11
	leaq	0(,%rdx,4), %r12
	leaq	(%rax,%rdx,2), %r14
	andq	$-16, %r11
	jmp	.L128
	.p2align 4,,10
	.p2align 3
.L167:
	vmovaps	%zmm0, %zmm1
	testl	%r10d, %r10d
	je	.L126
	vpmovzxwd	(%r14), %zmm1
	kmovw	%eax, %k2
	vpslld	$16, %zmm1, %zmm1
	vblendmps	%zmm1, %zmm0, %zmm1{%k2}
.L126:
	movq	32(%r15), %rax
	vmovups	%zmm1, (%rax,%r12)
.L127:
	leaq	16(%r13), %rax
	subq	$16, %rbx
	addq	$64, %r12
	addq	$32, %r14
	cmpq	%r13, %r11
	je	.L166
	movq	%rax, %r13
.L128:
	movl	%r10d, %eax
	movl	%r13d, %ecx
	shrl	%cl, %eax
	cmpq	$15, %rbx
	jg	.L167
	movq	%r11, 232(%rsp)
	vpxor	%xmm3, %xmm3, %xmm3
	leaq	(%rbx,%rbx), %rdx
	movq	%r14, %rsi
	movl	%r10d, 240(%rsp)
	leaq	256(%rsp), %rdi
	movl	%eax, 128(%rsp)
	vmovdqa	%ymm3, 256(%rsp)
	vmovaps	%zmm0, 64(%rsp)
	vzeroupper
	call	memcpy@PLT
	vmovaps	64(%rsp), %zmm0
	vpmovzxwd	256(%rsp), %zmm1
	movl	128(%rsp), %ecx
	movq	%rax, %rdi
	movq	32(%r15), %rax
	leaq	0(,%rbx,4), %rdx
	vpslld	$16, %zmm1, %zmm1
	movq	%rdi, %rsi
	vmovaps	%zmm0, 128(%rsp)
	addq	%r12, %rax
	kmovw	%ecx, %k5
	vblendmps	%zmm1, %zmm0, %zmm1{%k5}
	vmovaps	%zmm1, 256(%rsp)
	movq	%rax, %rdi
	vzeroupper
	call	memcpy@PLT
	movq	232(%rsp), %r11
	movl	240(%rsp), %r10d
	vmovaps	128(%rsp), %zmm0
	jmp	.L127
	.p2align 4,,10
	.p2align 3
.L166:
	movq	16(%r15), %rax
.L129:
	cmpq	%rax, (%rsp)
	jge	.L161
	movq	(%rsp), %rdx
	jmp	.L124
	.cfi_endproc
.LFE6701:
	.size	_ZN10torchpaged12_GLOBAL__N_116copy_allowed_rowERKNS_7EditRowE, .-_ZN10torchpaged12_GLOBAL__N_116copy_allowed_rowERKNS_7EditRowE
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_16absmaxINS0_7Float16EEEfPKNT_1TEl, @function
_ZN10torchpaged12_GLOBAL__N_16absmaxINS0_7Float16EEEfPKNT_1TEl:
.LFB6948:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	subq	$192, %rsp
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	testq	%rsi, %rsi
	jle	.L174
	leaq	-1(%rsi), %r14
	vxorps	%xmm1, %xmm1, %xmm1
	movq	%rsi, %r15
	movq	%rdi, %r12
	andq	$-16, %r14
	leaq	(%rdi,%rsi,2), %r13
	movl	$15, %ebx
	vbroadcastss	.LC5(%rip), %zmm5
	addq	$31, %r14
	vmovaps	%zmm1, %zmm2
	vpternlogd	$0xFF, %zmm4, %zmm4, %zmm4
	jmp	.L173
	.p2align 4,,10
	.p2align 3
.L177:
	vcvtph2ps	(%r12), %zmm0
	vcmpps	$0, %zmm0, %zmm0, %k1
	vandps	%zmm5, %zmm0, %zmm3
	vmaxps	%zmm3, %zmm2, %zmm2
	vmovdqa32	%zmm4, %zmm3{%k1}{z}
	vpmovd2m	%zmm3, %k1
.L176:
	addq	$16, %rbx
	vblendmps	%zmm1, %zmm0, %zmm1{%k1}
	addq	$32, %r12
	cmpq	%r14, %rbx
	je	.L169
.L173:
	cmpq	%rbx, %r15
	jg	.L177
	vpxor	%xmm0, %xmm0, %xmm0
	movq	%r13, %rdx
	vmovaps	%zmm2, (%rsp)
	leaq	160(%rsp), %rdi
	vmovaps	%zmm1, 64(%rsp)
	subq	%r12, %rdx
	movq	%r12, %rsi
	vmovdqa	%ymm0, 160(%rsp)
	vzeroupper
	call	memcpy@PLT
	vmovaps	(%rsp), %zmm2
	vcvtph2ps	160(%rsp), %zmm0
	vmovaps	.LC4(%rip), %zmm5
	vcmpps	$0, %zmm0, %zmm0, %k1
	vpternlogd	$0xFF, %zmm4, %zmm4, %zmm4
	vmovaps	64(%rsp), %zmm1
	vandps	%zmm5, %zmm0, %zmm3
	vmaxps	%zmm3, %zmm2, %zmm2
	vmovdqa32	%zmm4, %zmm3{%k1}{z}
	vpmovd2m	%zmm3, %k1
	jmp	.L176
.L174:
	vxorpd	%xmm2, %xmm2, %xmm2
	vmovapd	%zmm2, %zmm1
.L169:
	vextractf64x4	$0x1, %zmm2, %ymm0
	vmaxps	%ymm2, %ymm0, %ymm2
	vextractf128	$0x1, %ymm2, %xmm0
	vmaxps	%xmm2, %xmm0, %xmm0
	vpermilps	$78, %xmm0, %xmm2
	vmaxps	%xmm2, %xmm0, %xmm0
	vpermilps	$17, %xmm0, %xmm2
	vmaxps	%xmm2, %xmm0, %xmm0
	vextractf64x4	$0x1, %zmm1, %ymm2
	vaddps	%ymm1, %ymm2, %ymm1
	vextractf128	$0x1, %ymm1, %xmm2
	vaddps	%xmm1, %xmm2, %xmm2
	vpermilps	$78, %xmm2, %xmm1
	vaddps	%xmm2, %xmm1, %xmm1
	vmovaps	%xmm1, %xmm2
	vshufps	$85, %xmm1, %xmm1, %xmm1
	vaddss	%xmm1, %xmm2, %xmm1
	vaddss	%xmm0, %xmm1, %xmm0
	vzeroupper
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE6948:
	.size	_ZN10torchpaged12_GLOBAL__N_16absmaxINS0_7Float16EEEfPKNT_1TEl, .-_ZN10torchpaged12_GLOBAL__N_16absmaxINS0_7Float16EEEfPKNT_1TEl
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_16absmaxINS0_8BFloat16EEEfPKNT_1TEl, @function
_ZN10torchpaged12_GLOBAL__N_16absmaxINS0_8BFloat16EEEfPKNT_1TEl:
.LFB6949:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	subq	$192, %rsp
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	testq	%rsi, %rsi
	jle	.L184
	leaq	-1(%rsi), %r14
	vxorps	%xmm1, %xmm1, %xmm1
	movq	%rsi, %r15
	movq	%rdi, %r12
	andq	$-16, %r14
	movl	$2147483647, %eax
	leaq	(%rdi,%rsi,2), %r13
	movl	$15, %ebx
	addq	$31, %r14
	vmovaps	%zmm1, %zmm2
	vpbroadcastd	%eax, %zmm4
	vpternlogd	$0xFF, %zmm5, %zmm5, %zmm5
	jmp	.L183
	.p2align 4,,10
	.p2align 3
.L187:
	vpmovzxwd	(%r12), %zmm0
	vpslld	$16, %zmm0, %zmm0
	vcmpps	$0, %zmm0, %zmm0, %k1
	vpandd	%zmm4, %zmm0, %zmm3
	vmaxps	%zmm3, %zmm2, %zmm2
	vmovdqa32	%zmm5, %zmm3{%k1}{z}
	vpmovd2m	%zmm3, %k1
.L186:
	addq	$16, %rbx
	vblendmps	%zmm1, %zmm0, %zmm1{%k1}
	addq	$32, %r12
	cmpq	%r14, %rbx
	je	.L179
.L183:
	cmpq	%rbx, %r15
	jg	.L187
	vpxor	%xmm6, %xmm6, %xmm6
	movq	%r13, %rdx
	vmovaps	%zmm1, (%rsp)
	leaq	160(%rsp), %rdi
	vmovaps	%zmm2, 64(%rsp)
	subq	%r12, %rdx
	movq	%r12, %rsi
	vmovdqa	%ymm6, 160(%rsp)
	vzeroupper
	call	memcpy@PLT
	vmovaps	64(%rsp), %zmm2
	vpmovzxwd	160(%rsp), %zmm0
	vmovdqa32	.LC6(%rip), %zmm4
	vpternlogd	$0xFF, %zmm5, %zmm5, %zmm5
	vmovaps	(%rsp), %zmm1
	vpslld	$16, %zmm0, %zmm0
	vcmpps	$0, %zmm0, %zmm0, %k1
	vpandd	%zmm4, %zmm0, %zmm3
	vmaxps	%zmm3, %zmm2, %zmm2
	vmovdqa32	%zmm5, %zmm3{%k1}{z}
	vpmovd2m	%zmm3, %k1
	jmp	.L186
.L184:
	vxorpd	%xmm2, %xmm2, %xmm2
	vmovapd	%zmm2, %zmm1
.L179:
	vextractf64x4	$0x1, %zmm2, %ymm0
	vmaxps	%ymm2, %ymm0, %ymm2
	vextractf128	$0x1, %ymm2, %xmm0
	vmaxps	%xmm2, %xmm0, %xmm0
	vpermilps	$78, %xmm0, %xmm2
	vmaxps	%xmm2, %xmm0, %xmm0
	vpermilps	$17, %xmm0, %xmm2
	vmaxps	%xmm2, %xmm0, %xmm0
	vextractf64x4	$0x1, %zmm1, %ymm2
	vaddps	%ymm1, %ymm2, %ymm1
	vextractf128	$0x1, %ymm1, %xmm2
	vaddps	%xmm1, %xmm2, %xmm2
	vpermilps	$78, %xmm2, %xmm1
	vaddps	%xmm2, %xmm1, %xmm1
	vmovaps	%xmm1, %xmm2
	vshufps	$85, %xmm1, %xmm1, %xmm1
	vaddss	%xmm1, %xmm2, %xmm1
	vaddss	%xmm0, %xmm1, %xmm0
	vzeroupper
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE6949:
	.size	_ZN10torchpaged12_GLOBAL__N_16absmaxINS0_8BFloat16EEEfPKNT_1TEl, .-_ZN10torchpaged12_GLOBAL__N_16absmaxINS0_8BFloat16EEEfPKNT_1TEl
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_16absmaxINS0_7Float32EEEfPKNT_1TEl, @function
_ZN10torchpaged12_GLOBAL__N_16absmaxINS0_7Float32EEEfPKNT_1TEl:
.LFB6950:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	subq	$192, %rsp
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	testq	%rsi, %rsi
	jle	.L194
	leaq	-1(%rsi), %r14
	vxorps	%xmm1, %xmm1, %xmm1
	movq	%rsi, %r15
	movq	%rdi, %r12
	andq	$-16, %r14
	leaq	(%rdi,%rsi,4), %r13
	movl	$15, %ebx
	vbroadcastss	.LC5(%rip), %zmm5
	addq	$31, %r14
	vmovaps	%zmm1, %zmm2
	vpternlogd	$0xFF, %zmm4, %zmm4, %zmm4
	jmp	.L193
	.p2align 4,,10
	.p2align 3
.L197:
	vmovups	(%r12), %zmm0
	vcmpps	$0, %zmm0, %zmm0, %k1
	vandps	%zmm5, %zmm0, %zmm3
	vmaxps	%zmm3, %zmm2, %zmm2
	vmovdqa32	%zmm4, %zmm3{%k1}{z}
	vpmovd2m	%zmm3, %k1
.L196:
	addq	$16, %rbx
	vblendmps	%zmm1, %zmm0, %zmm1{%k1}
	addq	$64, %r12
	cmpq	%r14, %rbx
	je	.L189
.L193:
	cmpq	%r15, %rbx
	jl	.L197
	vpxor	%xmm0, %xmm0, %xmm0
	movq	%r13, %rdx
	vmovaps	%zmm1, (%rsp)
	leaq	128(%rsp), %rdi
	vmovaps	%zmm2, 64(%rsp)
	subq	%r12, %rdx
	movq	%r12, %rsi
	vmovdqa64	%zmm0, 128(%rsp)
	vzeroupper
	call	memcpy@PLT
	vmovaps	64(%rsp), %zmm2
	vmovaps	128(%rsp), %zmm0
	vmovaps	.LC4(%rip), %zmm5
	vpternlogd	$0xFF, %zmm4, %zmm4, %zmm4
	vmovaps	(%rsp), %zmm1
	vcmpps	$0, %zmm0, %zmm0, %k1
	vandps	%zmm5, %zmm0, %zmm3
	vmaxps	%zmm3, %zmm2, %zmm2
	vmovdqa32	%zmm4, %zmm3{%k1}{z}
	vpmovd2m	%zmm3, %k1
	jmp	.L196
.L194:
	vxorpd	%xmm2, %xmm2, %xmm2
	vmovapd	%zmm2, %zmm1
.L189:
	vextractf64x4	$0x1, %zmm2, %ymm0
	vmaxps	%ymm2, %ymm0, %ymm2
	vextractf128	$0x1, %ymm2, %xmm0
	vmaxps	%xmm2, %xmm0, %xmm0
	vpermilps	$78, %xmm0, %xmm2
	vmaxps	%xmm2, %xmm0, %xmm0
	vpermilps	$17, %xmm0, %xmm2
	vmaxps	%xmm2, %xmm0, %xmm0
	vextractf64x4	$0x1, %zmm1, %ymm2
	vaddps	%ymm1, %ymm2, %ymm1
	vextractf128	$0x1, %ymm1, %xmm2
	vaddps	%xmm1, %xmm2, %xmm2
	vpermilps	$78, %xmm2, %xmm1
	vaddps	%xmm2, %xmm1, %xmm1
	vmovaps	%xmm1, %xmm2
	vshufps	$85, %xmm1, %xmm1, %xmm1
	vaddss	%xmm1, %xmm2, %xmm1
	vaddss	%xmm0, %xmm1, %xmm0
	vzeroupper
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE6950:
	.size	_ZN10torchpaged12_GLOBAL__N_16absmaxINS0_7Float32EEEfPKNT_1TEl, .-_ZN10torchpaged12_GLOBAL__N_16absmaxINS0_7Float32EEEfPKNT_1TEl
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110absmax_rowEPKcNS_5DTypeEl, @function
_ZN10torchpaged12_GLOBAL__N_110absmax_rowEPKcNS_5DTypeEl:
.LFB6626:
	.cfi_startproc
	movl	%esi, %eax
	movq	%rdx, %rsi
	cmpl	$1, %eax
	je	.L199
	cmpl	$2, %eax
	je	.L200
	jmp	_ZN10torchpaged12_GLOBAL__N_16absmaxINS0_7Float32EEEfPKNT_1TEl
	.p2align 4,,10
	.p2align 3
.L199:
	jmp	_ZN10torchpaged12_GLOBAL__N_16absmaxINS0_7Float16EEEfPKNT_1TEl
	.p2align 4,,10
	.p2align 3
.L200:
	jmp	_ZN10torchpaged12_GLOBAL__N_16absmaxINS0_8BFloat16EEEfPKNT_1TEl
	.cfi_endproc
.LFE6626:
	.size	_ZN10torchpaged12_GLOBAL__N_110absmax_rowEPKcNS_5DTypeEl, .-_ZN10torchpaged12_GLOBAL__N_110absmax_rowEPKcNS_5DTypeEl
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_16locateERKNS_15AttentionParamsEiilllPKcRNS0_8TileRowsE, @function
_ZN10torchpaged12_GLOBAL__N_16locateERKNS_15AttentionParamsEiilllPKcRNS0_8TileRowsE:
.LFB6718:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movl	%edx, %r11d
	movq	%rcx, %rdx
	movq	%r8, %rax
	vmovq	%rdi, %xmm6
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	leaq	64(%rdx), %r13
	pushq	%r12
	pushq	%rbx
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	movslq	%esi, %rbx
	andq	$-64, %rsp
	subq	$8, %rsp
	cmpq	%rdx, %r8
	cmovl	%rdx, %rax
	movl	%eax, %r10d
	movq	24(%rbp), %rsi
	movq	16(%rbp), %rcx
	subl	%edx, %r10d
	cmpq	%r9, %r13
	cmovg	%r9, %r13
	movl	%r10d, -16(%rsp)
	movl	%r10d, 1536(%rsi)
	movl	%r13d, %r15d
	subl	%edx, %r15d
	movl	%r15d, 4(%rsp)
	movl	%r15d, 1540(%rsi)
	movslq	%r15d, %r15
	leaq	15(%r15), %r9
	movq	%r9, %r12
	sarq	$63, %r12
	shrq	$60, %r12
	leaq	(%r9,%r12), %r8
	andl	$15, %r8d
	subq	%r12, %r8
	subq	%r8, %r9
	testl	%r10d, %r10d
	jle	.L209
	leal	-1(%r10), %r8d
	cmpl	$6, %r8d
	jbe	.L259
	movl	%r10d, %r8d
	vpbroadcastq	%rcx, %zmm0
	shrl	$3, %r8d
	vmovdqu64	%zmm0, (%rsi)
	vmovdqu64	%zmm0, 512(%rsi)
	cmpl	$1, %r8d
	je	.L208
	vmovdqu64	%zmm0, 576(%rsi)
	vmovdqu64	%zmm0, 64(%rsi)
	cmpl	$2, %r8d
	je	.L208
	vmovdqu64	%zmm0, 640(%rsi)
	vmovdqu64	%zmm0, 128(%rsi)
	cmpl	$3, %r8d
	je	.L208
	vmovdqu64	%zmm0, 704(%rsi)
	vmovdqu64	%zmm0, 192(%rsi)
	cmpl	$4, %r8d
	je	.L208
	vmovdqu64	%zmm0, 768(%rsi)
	vmovdqu64	%zmm0, 256(%rsi)
	cmpl	$5, %r8d
	je	.L208
	vmovdqu64	%zmm0, 832(%rsi)
	vmovdqu64	%zmm0, 320(%rsi)
	cmpl	$6, %r8d
	je	.L208
	vmovdqu64	%zmm0, 896(%rsi)
	vmovdqu64	%zmm0, 384(%rsi)
	cmpl	$7, %r8d
	je	.L208
	vmovdqu64	%zmm0, 960(%rsi)
	vmovdqu64	%zmm0, 448(%rsi)
.L208:
	movl	%r10d, %r8d
	andl	$-8, %r8d
	movl	%r8d, %r12d
	testb	$7, %r10b
	je	.L209
.L207:
	movl	%r10d, %r14d
	subl	%r8d, %r14d
	leal	-1(%r14), %edi
	cmpl	$2, %edi
	jbe	.L211
	addl	$64, %r8d
	vpbroadcastq	%rcx, %ymm0
	vmovdqu	%ymm0, (%rsi,%r8,8)
	vmovdqu	%ymm0, -512(%rsi,%r8,8)
	movl	%r14d, %r8d
	andl	$-4, %r8d
	addl	%r8d, %r12d
	andl	$3, %r14d
	je	.L209
.L211:
	movslq	%r12d, %r8
	leal	1(%r12), %r14d
	leaq	(%rsi,%r8,8), %r8
	movq	%rcx, 512(%r8)
	movq	%rcx, (%r8)
	cmpl	%r14d, %r10d
	jle	.L209
	addl	$2, %r12d
	movq	%rcx, 520(%r8)
	movq	%rcx, 8(%r8)
	cmpl	%r12d, %r10d
	jle	.L209
	movq	%rcx, 528(%r8)
	movq	%rcx, 16(%r8)
.L209:
	cmpl	%r9d, 4(%rsp)
	jge	.L206
	subl	%r13d, %edx
	addl	%r9d, %edx
	leal	-1(%rdx), %r8d
	cmpl	$6, %r8d
	jbe	.L260
	leaq	512(,%r15,8), %r8
	movl	%edx, %r13d
	vpbroadcastq	%rcx, %zmm0
	leaq	(%rsi,%r8), %r12
	shrl	$3, %r13d
	leaq	-512(%rsi,%r8), %r8
	vmovdqu64	%zmm0, (%r12)
	vmovdqu64	%zmm0, (%r8)
	cmpl	$1, %r13d
	je	.L216
	vmovdqu64	%zmm0, 64(%r12)
	vmovdqu64	%zmm0, 64(%r8)
	cmpl	$2, %r13d
	je	.L216
	vmovdqu64	%zmm0, 128(%r12)
	vmovdqu64	%zmm0, 128(%r8)
	cmpl	$3, %r13d
	je	.L216
	vmovdqu64	%zmm0, 192(%r12)
	vmovdqu64	%zmm0, 192(%r8)
	cmpl	$4, %r13d
	je	.L216
	vmovdqu64	%zmm0, 256(%r12)
	vmovdqu64	%zmm0, 256(%r8)
	cmpl	$5, %r13d
	je	.L216
	vmovdqu64	%zmm0, 320(%r12)
	vmovdqu64	%zmm0, 320(%r8)
	cmpl	$6, %r13d
	je	.L216
	vmovdqu64	%zmm0, 384(%r12)
	vmovdqu64	%zmm0, 384(%r8)
	cmpl	$7, %r13d
	je	.L216
	vmovdqu64	%zmm0, 448(%r12)
	vmovdqu64	%zmm0, 448(%r8)
.L216:
	movl	4(%rsp), %edi
	movl	%edx, %r8d
	andl	$-8, %r8d
	leal	(%r8,%rdi), %r12d
	testb	$7, %dl
	je	.L206
.L215:
	subl	%r8d, %edx
	leal	-1(%rdx), %r13d
	cmpl	$2, %r13d
	jbe	.L218
	leaq	64(%r8,%r15), %r8
	vpbroadcastq	%rcx, %ymm0
	vmovdqu	%ymm0, (%rsi,%r8,8)
	vmovdqu	%ymm0, -512(%rsi,%r8,8)
	movl	%edx, %r8d
	andl	$-4, %r8d
	addl	%r8d, %r12d
	andl	$3, %edx
	je	.L206
.L218:
	movslq	%r12d, %rdx
	leal	1(%r12), %r8d
	leaq	(%rsi,%rdx,8), %rdx
	movq	%rcx, 512(%rdx)
	movq	%rcx, (%rdx)
	cmpl	%r8d, %r9d
	jle	.L206
	addl	$2, %r12d
	movq	%rcx, 520(%rdx)
	movq	%rcx, 8(%rdx)
	cmpl	%r12d, %r9d
	jle	.L206
	movq	%rcx, 528(%rdx)
	movq	%rcx, 16(%rdx)
.L206:
	vmovq	%xmm6, %rcx
	cmpb	$0, 128(%rcx)
	jne	.L356
.L214:
	vmovq	%xmm6, %rcx
	cmpb	$0, 168(%rcx)
	jne	.L357
.L220:
	vmovq	%xmm6, %rcx
	cqto
	movq	176(%rcx), %rcx
	movq	%rcx, -24(%rsp)
	vmovq	%xmm6, %rcx
	imulq	184(%rcx), %rbx
	movq	%rbx, -32(%rsp)
	movq	216(%rcx), %rbx
	idivq	%rbx
	movq	%rbx, -40(%rsp)
	movq	%rax, -8(%rsp)
	movl	4(%rsp), %eax
	cmpl	%eax, %r10d
	jge	.L353
	movq	48(%rcx), %r13
	movq	80(%rcx), %r15
	kmovb	128(%rcx), %k0
	kmovb	168(%rcx), %k1
	movq	224(%rcx), %rax
	movq	56(%rcx), %rbx
	vpbroadcastq	%r13, %zmm18
	vpbroadcastq	%r15, %zmm17
	vmovdqa64	.LC7(%rip), %zmm16
	vmovdqa64	.LC8(%rip), %zmm19
	subq	$1, %rax
	movl	-16(%rsp), %edi
	vmovdqa64	.LC9(%rip), %zmm22
	vpbroadcastq	%r13, %ymm12
	movq	%rax, -48(%rsp)
	movq	40(%rcx), %rax
	vpmullq	%zmm16, %zmm18, %zmm20
	vpmullq	%zmm16, %zmm17, %zmm16
	vmovdqa64	.LC10(%rip), %zmm21
	vpmullq	%zmm19, %zmm18, %zmm23
	vmovdqa64	.LC11(%rip), %zmm25
	vpmullq	%zmm22, %zmm18, %zmm28
	vmovdqa64	.LC12(%rip), %zmm24
	movq	%rax, -72(%rsp)
	movslq	%r11d, %rax
	vpmullq	%zmm19, %zmm17, %zmm19
	imulq	%rax, %rbx
	movq	%rax, -88(%rsp)
	vmovdqa64	.LC13(%rip), %zmm26
	vpmullq	%zmm21, %zmm18, %zmm27
	vmovdqa64	.LC14(%rip), %zmm0
	imulq	88(%rcx), %rax
	vpmullq	%zmm25, %zmm18, %zmm30
	vpbroadcastq	%r15, %ymm11
	vpmullq	%zmm24, %zmm18, %zmm29
	vpmullq	%zmm26, %zmm18, %zmm31
	vmovq	32(%rcx), %xmm8
	vmovq	64(%rcx), %xmm7
	vpmullq	%zmm22, %zmm17, %zmm22
	vpmullq	%zmm21, %zmm17, %zmm21
	movq	%rbx, -56(%rsp)
	movq	72(%rcx), %rbx
	vpmullq	%zmm25, %zmm17, %zmm25
	vpmullq	%zmm24, %zmm17, %zmm24
	movq	%rax, -64(%rsp)
	vpbroadcastq	%xmm8, %zmm10
	vpmullq	%zmm26, %zmm17, %zmm26
	vpmullq	%zmm0, %zmm18, %zmm18
	vpbroadcastq	%xmm7, %zmm9
	vmovdqa	.LC15(%rip), %ymm15
	vpmullq	%zmm0, %zmm17, %zmm17
	movq	%rbx, -80(%rsp)
	movq	%rdx, %rbx
	vpbroadcastq	%xmm8, %ymm14
	vpbroadcastq	%xmm7, %ymm13
	vpaddq	%zmm20, %zmm10, %zmm20
	vpaddq	%zmm16, %zmm9, %zmm16
	vmovdqa	%xmm8, %xmm4
	.p2align 4,,10
	.p2align 3
.L254:
	movq	-48(%rsp), %rcx
	movq	-8(%rsp), %rax
	cmpq	%rax, %rcx
	cmovle	%rcx, %rax
	movq	-32(%rsp), %rcx
	addq	%rcx, %rax
	movq	-24(%rsp), %rcx
	movslq	(%rcx,%rax,4), %r9
	testq	%r9, %r9
	js	.L261
	vmovq	%xmm6, %rax
	movq	208(%rax), %rax
	cmpq	%rax, %r9
	jl	.L355
	leaq	-1(%rax), %r9
.L355:
	movq	-72(%rsp), %r8
	movq	-80(%rsp), %r10
	imulq	%r9, %r8
	imulq	%r9, %r10
.L222:
	movl	4(%rsp), %ecx
	movq	-40(%rsp), %rax
	movq	-56(%rsp), %rdx
	subl	%edi, %ecx
	subq	%rbx, %rax
	movslq	%ecx, %rcx
	cmpq	%rcx, %rax
	cmovg	%rcx, %rax
	movq	%r13, %rcx
	imulq	%rbx, %rcx
	addq	%rdx, %rcx
	movq	-64(%rsp), %rdx
	addq	%r8, %rcx
	movq	%r15, %r8
	imulq	%rbx, %r8
	addq	%rdx, %r8
	addq	%r10, %r8
	kortestb	%k0, %k0
	jne	.L358
	kortestb	%k1, %k1
	jne	.L359
	testl	%eax, %eax
	jle	.L225
	leal	-1(%rax), %r10d
.L256:
	cmpl	$14, %r10d
	jbe	.L264
.L364:
	movslq	%edi, %rdx
	vpbroadcastq	%rcx, %zmm1
	vpbroadcastq	%r8, %zmm0
	movl	%eax, %r9d
	salq	$3, %rdx
	vpaddq	%zmm1, %zmm20, %zmm2
	shrl	$4, %r9d
	leaq	(%rsi,%rdx), %r10
	leaq	512(%rsi,%rdx), %rdx
	vmovdqu64	%zmm2, (%r10)
	vpaddq	%zmm23, %zmm10, %zmm2
	vpaddq	%zmm1, %zmm2, %zmm2
	vmovdqu64	%zmm2, 64(%r10)
	vpaddq	%zmm0, %zmm16, %zmm2
	vmovdqu64	%zmm2, (%rdx)
	vpaddq	%zmm9, %zmm19, %zmm2
	vpaddq	%zmm0, %zmm2, %zmm2
	vmovdqu64	%zmm2, 64(%rdx)
	cmpl	$1, %r9d
	je	.L250
	vpaddq	%zmm10, %zmm28, %zmm2
	vpaddq	%zmm1, %zmm2, %zmm2
	vmovdqu64	%zmm2, 128(%r10)
	vpaddq	%zmm27, %zmm10, %zmm2
	vpaddq	%zmm1, %zmm2, %zmm2
	vmovdqu64	%zmm2, 192(%r10)
	vpaddq	%zmm22, %zmm9, %zmm2
	vpaddq	%zmm0, %zmm2, %zmm2
	vmovdqu64	%zmm2, 128(%rdx)
	vpaddq	%zmm21, %zmm9, %zmm2
	vpaddq	%zmm0, %zmm2, %zmm2
	vmovdqu64	%zmm2, 192(%rdx)
	cmpl	$2, %r9d
	je	.L250
	vpaddq	%zmm30, %zmm10, %zmm2
	vpaddq	%zmm1, %zmm2, %zmm2
	vmovdqu64	%zmm2, 256(%r10)
	vpaddq	%zmm29, %zmm10, %zmm2
	vpaddq	%zmm1, %zmm2, %zmm2
	vmovdqu64	%zmm2, 320(%r10)
	vpaddq	%zmm25, %zmm9, %zmm2
	vpaddq	%zmm0, %zmm2, %zmm2
	vmovdqu64	%zmm2, 256(%rdx)
	vpaddq	%zmm24, %zmm9, %zmm2
	vpaddq	%zmm0, %zmm2, %zmm2
	vmovdqu64	%zmm2, 320(%rdx)
	cmpl	$3, %r9d
	je	.L250
	vpaddq	%zmm31, %zmm10, %zmm2
	vpaddq	%zmm1, %zmm2, %zmm2
	vmovdqu64	%zmm2, 384(%r10)
	vpaddq	%zmm18, %zmm10, %zmm2
	vpaddq	%zmm1, %zmm2, %zmm2
	vpaddq	%zmm26, %zmm9, %zmm1
	vmovdqu64	%zmm2, 448(%r10)
	vpaddq	%zmm0, %zmm1, %zmm1
	vmovdqu64	%zmm1, 384(%rdx)
	vpaddq	%zmm17, %zmm9, %zmm1
	vpaddq	%zmm0, %zmm1, %zmm1
	vmovdqu64	%zmm1, 448(%rdx)
.L250:
	movl	%eax, %r10d
	andl	$-16, %r10d
	movl	%r10d, %r9d
	leal	(%rdi,%r10), %r11d
	testb	$15, %al
	je	.L251
.L249:
	movl	%eax, %ebx
	subl	%r10d, %ebx
	leal	-1(%rbx), %edx
	cmpl	$6, %edx
	jbe	.L252
	vpbroadcastd	%r9d, %ymm0
	movslq	%edi, %rdx
	vpbroadcastq	%rcx, %ymm2
	vpaddd	%ymm15, %ymm0, %ymm0
	addq	%r10, %rdx
	vpaddq	%ymm2, %ymm14, %ymm2
	vpmovsxdq	%xmm0, %ymm1
	salq	$3, %rdx
	vextracti128	$0x1, %ymm0, %xmm0
	vpmullq	%ymm1, %ymm12, %ymm3
	leaq	(%rsi,%rdx), %r10
	vpmovsxdq	%xmm0, %ymm0
	vpmullq	%ymm11, %ymm1, %ymm1
	leaq	512(%rsi,%rdx), %rdx
	vpaddq	%ymm2, %ymm3, %ymm3
	vmovdqu	%ymm3, (%r10)
	vpmullq	%ymm0, %ymm12, %ymm3
	vpmullq	%ymm11, %ymm0, %ymm0
	vpaddq	%ymm2, %ymm3, %ymm3
	vpbroadcastq	%r8, %ymm2
	vpaddq	%ymm13, %ymm2, %ymm2
	vmovdqu	%ymm3, 32(%r10)
	vpaddq	%ymm2, %ymm1, %ymm1
	vpaddq	%ymm2, %ymm0, %ymm0
	vmovdqu	%ymm1, (%rdx)
	vmovdqu	%ymm0, 32(%rdx)
	movl	%ebx, %edx
	andl	$-8, %edx
	addl	%edx, %r11d
	addl	%edx, %r9d
	andl	$7, %ebx
	je	.L251
.L252:
	movslq	%r9d, %rdx
	movq	%r13, %r10
	vmovq	%xmm4, %r14
	movslq	%r11d, %r11
	imulq	%rdx, %r10
	leaq	(%rsi,%r11,8), %rbx
	imulq	%r15, %rdx
	leaq	(%r10,%rcx), %r11
	addq	%r14, %r11
	vmovq	%xmm7, %r14
	movq	%r11, (%rbx)
	leaq	(%rdx,%r8), %r11
	addq	%r14, %r11
	movq	%r11, 512(%rbx)
	leal	1(%r9), %r11d
	cmpl	%r11d, %eax
	jle	.L251
	addq	%r13, %r10
	vmovq	%xmm4, %r14
	addq	%r15, %rdx
	leaq	(%r10,%rcx), %r11
	addq	%r14, %r11
	vmovq	%xmm7, %r14
	movq	%r11, 8(%rbx)
	leaq	(%rdx,%r8), %r11
	addq	%r14, %r11
	movq	%r11, 520(%rbx)
	leal	2(%r9), %r11d
	cmpl	%r11d, %eax
	jle	.L251
	addq	%r13, %r10
	vmovq	%xmm4, %r14
	addq	%r15, %rdx
	leaq	(%r10,%rcx), %r11
	addq	%r14, %r11
	vmovq	%xmm7, %r14
	movq	%r11, 16(%rbx)
	leaq	(%rdx,%r8), %r11
	addq	%r14, %r11
	movq	%r11, 528(%rbx)
	leal	3(%r9), %r11d
	cmpl	%r11d, %eax
	jle	.L251
	addq	%r13, %r10
	vmovq	%xmm4, %r14
	addq	%r15, %rdx
	leaq	(%r10,%rcx), %r11
	addq	%r14, %r11
	vmovq	%xmm7, %r14
	movq	%r11, 24(%rbx)
	leaq	(%rdx,%r8), %r11
	addq	%r14, %r11
	movq	%r11, 536(%rbx)
	leal	4(%r9), %r11d
	cmpl	%r11d, %eax
	jle	.L251
	addq	%r13, %r10
	vmovq	%xmm4, %r14
	addq	%r15, %rdx
	leaq	(%r10,%rcx), %r11
	addq	%r14, %r11
	vmovq	%xmm7, %r14
	movq	%r11, 32(%rbx)
	leaq	(%rdx,%r8), %r11
	addq	%r14, %r11
	movq	%r11, 544(%rbx)
	leal	5(%r9), %r11d
	cmpl	%r11d, %eax
	jle	.L251
	addq	%r13, %r10
	vmovq	%xmm4, %r14
	addq	%r15, %rdx
	addl	$6, %r9d
	leaq	(%r10,%rcx), %r11
	addq	%r14, %r11
	vmovq	%xmm7, %r14
	movq	%r11, 40(%rbx)
	leaq	(%rdx,%r8), %r11
	addq	%r14, %r11
	movq	%r11, 552(%rbx)
	cmpl	%r9d, %eax
	jle	.L251
	addq	%r13, %r10
	addq	%r15, %rdx
	addq	%rcx, %r10
	addq	%r8, %rdx
	vmovq	%xmm4, %rcx
	addq	%rcx, %r10
	addq	%r14, %rdx
	movq	%r10, 48(%rbx)
	movq	%rdx, 560(%rbx)
.L251:
	addl	%eax, %edi
.L225:
	addq	$1, -8(%rsp)
	xorl	%ebx, %ebx
	cmpl	%edi, 4(%rsp)
	jg	.L254
.L353:
	vzeroupper
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
	.p2align 4,,10
	.p2align 3
.L261:
	.cfi_restore_state
	xorl	%r10d, %r10d
	xorl	%r8d, %r8d
	xorl	%r9d, %r9d
	jmp	.L222
	.p2align 4,,10
	.p2align 3
.L358:
	movslq	%edi, %rdx
	movq	-88(%rsp), %r10
	movq	%rdx, -96(%rsp)
	vmovq	%xmm6, %rdx
	movq	112(%rdx), %r14
	imulq	120(%rdx), %r10
	vmovq	96(%rdx), %xmm0
	movq	%r14, %r11
	imulq	%rbx, %r11
	addq	%r10, %r11
	movq	104(%rdx), %r10
	imulq	%r9, %r10
	leaq	(%r11,%r10), %rdx
	movq	%rdx, -16(%rsp)
	testl	%eax, %eax
	jle	.L225
	cmpq	$1, %r14
	jne	.L360
	leal	-1(%rax), %r10d
	movl	%eax, -104(%rsp)
	cmpl	$6, %r10d
	jbe	.L229
	movq	%rdx, %r14
	movslq	%edi, %rdx
	vmovq	%xmm0, %r11
	addq	$256, %rdx
	leaq	4(,%r14,4), %r14
	movq	%rdx, -112(%rsp)
	leaq	(%rsi,%rdx,4), %rdx
	leaq	(%r11,%r14), %r12
	movq	%rdx, %r11
	subq	%r12, %r11
	cmpq	$56, %r11
	ja	.L361
.L229:
	movq	-16(%rsp), %r14
	vmovq	%xmm0, %rdx
	movl	%r10d, -16(%rsp)
	xorl	%r11d, %r11d
	vmovd	%r10d, %xmm1
	movq	%rsi, %r10
	leaq	(%rdx,%r14,4), %r14
	movslq	%edi, %rdx
	leaq	(%rsi,%rdx,4), %rdx
	movq	%rax, %rsi
	vmovq	%xmm1, %rax
	.p2align 4,,10
	.p2align 3
.L235:
	vmovss	(%r14,%r11,4), %xmm0
	movq	%r11, %r12
	vmovss	%xmm0, 1024(%rdx,%r11,4)
	addq	$1, %r11
	cmpq	%rax, %r12
	jne	.L235
	movq	%rsi, %rax
	movq	%r10, %rsi
	movl	-16(%rsp), %r10d
.L228:
	kortestb	%k1, %k1
	je	.L256
	leaq	1280(%rsi), %rdx
	movq	-88(%rsp), %r12
	vmovq	%rdx, %xmm0
	movq	-96(%rsp), %rdx
	movq	%rdx, -16(%rsp)
	vmovq	%xmm6, %rdx
	movq	152(%rdx), %r11
	imulq	160(%rdx), %r12
	movq	136(%rdx), %r14
	imulq	%r11, %rbx
	movq	%rbx, %rdx
	vmovq	%xmm6, %rbx
	imulq	144(%rbx), %r9
	addq	%r12, %rdx
	addq	%r9, %rdx
	cmpq	$1, %r11
	jne	.L362
.L238:
	movl	%eax, %r12d
	cmpl	$6, %r10d
	jbe	.L241
	movq	-16(%rsp), %rbx
	addq	$320, %rbx
	leaq	(%rsi,%rbx,4), %r11
	movq	%rbx, -96(%rsp)
	leaq	4(,%rdx,4), %rbx
	leaq	(%r14,%rbx), %r9
	vmovq	%rbx, %xmm5
	movq	%r11, %rbx
	subq	%r9, %rbx
	cmpq	$56, %rbx
	ja	.L363
.L241:
	movq	-16(%rsp), %rbx
	leaq	(%r14,%rdx,4), %r12
	movl	%r10d, %r9d
	xorl	%edx, %edx
	leaq	(%rsi,%rbx,4), %rbx
	.p2align 4,,10
	.p2align 3
.L247:
	vmovss	(%r12,%rdx,4), %xmm0
	movq	%rdx, %r11
	vmovss	%xmm0, 1280(%rbx,%rdx,4)
	addq	$1, %rdx
	cmpq	%r11, %r9
	jne	.L247
	cmpl	$14, %r10d
	ja	.L364
.L264:
	movl	%edi, %r11d
	xorl	%r10d, %r10d
	xorl	%r9d, %r9d
	jmp	.L249
	.p2align 4,,10
	.p2align 3
.L359:
	leaq	1280(%rsi), %rdx
	movq	-88(%rsp), %r10
	vmovq	%rdx, %xmm0
	movslq	%edi, %rdx
	movq	%rdx, -16(%rsp)
	vmovq	%xmm6, %rdx
	movq	152(%rdx), %r11
	imulq	160(%rdx), %r10
	movq	136(%rdx), %r14
	imulq	%r11, %rbx
	movq	%rbx, %rdx
	vmovq	%xmm6, %rbx
	imulq	144(%rbx), %r9
	addq	%r10, %rdx
	addq	%r9, %rdx
	testl	%eax, %eax
	jle	.L225
	leal	-1(%rax), %r10d
	cmpq	$1, %r11
	je	.L238
.L362:
	movq	-16(%rsp), %rbx
	movl	%r10d, %r12d
	leaq	(%r14,%rdx,4), %r9
	salq	$2, %r11
	addq	%rbx, %r12
	leaq	(%rsi,%rbx,4), %rdx
	leaq	4(%rsi,%r12,4), %rbx
	.p2align 4,,10
	.p2align 3
.L239:
	vmovss	(%r9), %xmm0
	addq	$4, %rdx
	addq	%r11, %r9
	vmovss	%xmm0, 1276(%rdx)
	cmpq	%rdx, %rbx
	jne	.L239
	jmp	.L256
.L361:
	cmpl	$14, %r10d
	jbe	.L262
	movl	%eax, %r12d
	vmovq	%xmm0, %r11
	movl	%r10d, (%rsp)
	movq	%rsi, %r10
	shrl	$4, %r12d
	leaq	-4(%r11,%r14), %r14
	movq	%rax, %rsi
	movq	-16(%rsp), %r11
	salq	$6, %r12
	movq	%r12, -104(%rsp)
	movq	-104(%rsp), %rax
	xorl	%r12d, %r12d
	.p2align 4,,10
	.p2align 3
.L231:
	vmovups	(%r14,%r12), %zmm5
	vmovups	%zmm5, (%rdx,%r12)
	addq	$64, %r12
	cmpq	%rax, %r12
	jne	.L231
	movq	%rsi, %rax
	movq	%r11, -16(%rsp)
	movq	%r10, %rsi
	movl	(%rsp), %r10d
	movl	%eax, %edx
	andl	$-16, %edx
	movl	%edx, %r12d
	testb	$15, %al
	je	.L228
	movl	%eax, %r14d
	subl	%edx, %r14d
	movl	%r14d, -104(%rsp)
	subl	$1, %r14d
	cmpl	$6, %r14d
	jbe	.L233
.L230:
	movq	-16(%rsp), %r14
	addq	%rdx, %r14
	vmovq	%r14, %xmm1
	vmovq	%xmm0, %r14
	vmovq	%xmm1, %r11
	vmovups	(%r14,%r11,4), %ymm1
	movq	-112(%rsp), %r14
	addq	%rdx, %r14
	movl	-104(%rsp), %edx
	vmovups	%ymm1, (%rsi,%r14,4)
	movl	%edx, %r14d
	andl	$-8, %r14d
	addl	%r14d, %r12d
	andl	$7, %edx
	je	.L228
.L233:
	leaq	1024(%rsi), %rdx
	movslq	%r12d, %r14
	vmovq	%rdx, %xmm5
	movq	-16(%rsp), %rdx
	leaq	(%r14,%rdx), %r11
	vmovq	%r11, %xmm1
	vmovq	%xmm0, %r11
	vmovq	%xmm1, %rdx
	vmovss	(%r11,%rdx,4), %xmm1
	movq	-96(%rsp), %r11
	vmovq	%xmm5, %rdx
	addq	%r11, %r14
	vmovss	%xmm1, (%rdx,%r14,4)
	leal	1(%r12), %r14d
	cmpl	%r14d, %eax
	jle	.L228
	movq	-16(%rsp), %rdx
	movslq	%r14d, %r14
	movq	%r14, -104(%rsp)
	addq	%r14, %rdx
	vmovq	%rdx, %xmm1
	vmovq	%xmm0, %rdx
	vmovq	%xmm1, %r14
	vmovss	(%rdx,%r14,4), %xmm1
	movq	-104(%rsp), %r14
	vmovq	%xmm5, %rdx
	addq	%r11, %r14
	vmovss	%xmm1, (%rdx,%r14,4)
	leal	2(%r12), %r14d
	cmpl	%r14d, %eax
	jle	.L228
	movq	-16(%rsp), %rdx
	movslq	%r14d, %r14
	movq	%r14, -104(%rsp)
	addq	%r14, %rdx
	vmovq	%rdx, %xmm1
	vmovq	%xmm0, %rdx
	vmovq	%xmm1, %r14
	vmovss	(%rdx,%r14,4), %xmm1
	movq	-104(%rsp), %r14
	vmovq	%xmm5, %rdx
	addq	%r11, %r14
	vmovss	%xmm1, (%rdx,%r14,4)
	leal	3(%r12), %r14d
	cmpl	%r14d, %eax
	jle	.L228
	movq	-16(%rsp), %rdx
	movslq	%r14d, %r14
	movq	%r14, -104(%rsp)
	addq	%r14, %rdx
	vmovq	%rdx, %xmm1
	vmovq	%xmm0, %rdx
	vmovq	%xmm1, %r14
	vmovss	(%rdx,%r14,4), %xmm1
	movq	-104(%rsp), %r14
	vmovq	%xmm5, %rdx
	addq	%r11, %r14
	vmovss	%xmm1, (%rdx,%r14,4)
	leal	4(%r12), %r14d
	cmpl	%r14d, %eax
	jle	.L228
	movq	-16(%rsp), %rdx
	movslq	%r14d, %r14
	movq	%r14, -104(%rsp)
	addq	%r14, %rdx
	vmovq	%rdx, %xmm1
	vmovq	%xmm0, %rdx
	vmovq	%xmm1, %r14
	vmovss	(%rdx,%r14,4), %xmm1
	movq	-104(%rsp), %r14
	addq	%r11, %r14
	vmovq	%xmm5, %r11
	vmovss	%xmm1, (%r11,%r14,4)
	leal	5(%r12), %r14d
	cmpl	%r14d, %eax
	jle	.L228
	movq	-16(%rsp), %r11
	movslq	%r14d, %r14
	addl	$6, %r12d
	leaq	(%r14,%r11), %rdx
	vmovq	%rdx, %xmm1
	vmovq	%xmm0, %rdx
	vmovq	%xmm1, %r11
	vmovss	(%rdx,%r11,4), %xmm1
	movq	-96(%rsp), %r11
	vmovq	%xmm5, %rdx
	addq	%r11, %r14
	vmovss	%xmm1, (%rdx,%r14,4)
	cmpl	%r12d, %eax
	jle	.L228
	movq	-16(%rsp), %r11
	movslq	%r12d, %r12
	vmovq	%xmm0, %rdx
	addq	%r12, %r11
	vmovss	(%rdx,%r11,4), %xmm0
	movq	-96(%rsp), %r11
	vmovq	%xmm5, %rdx
	addq	%r11, %r12
	vmovss	%xmm0, (%rdx,%r12,4)
	jmp	.L228
.L363:
	cmpl	$14, %r10d
	jbe	.L263
	vmovq	%xmm5, %rbx
	shrl	$4, %r12d
	xorl	%r9d, %r9d
	leaq	-4(%r14,%rbx), %rbx
	salq	$6, %r12
	.p2align 4,,10
	.p2align 3
.L243:
	vmovups	(%rbx,%r9), %zmm5
	vmovups	%zmm5, (%r11,%r9)
	addq	$64, %r9
	cmpq	%r9, %r12
	jne	.L243
	movl	%eax, %r9d
	andl	$-16, %r9d
	movl	%r9d, %r11d
	testb	$15, %al
	je	.L256
	movl	%eax, %r12d
	subl	%r9d, %r12d
	leal	-1(%r12), %ebx
	cmpl	$6, %ebx
	jbe	.L245
.L242:
	leaq	(%r9,%rdx), %rbx
	vmovups	(%r14,%rbx,4), %ymm1
	movq	-96(%rsp), %rbx
	addq	%r9, %rbx
	movl	%r12d, %r9d
	andl	$-8, %r9d
	vmovups	%ymm1, (%rsi,%rbx,4)
	addl	%r9d, %r11d
	andl	$7, %r12d
	je	.L256
.L245:
	movslq	%r11d, %r9
	movq	-16(%rsp), %rbx
	leaq	(%r9,%rdx), %r12
	vmovss	(%r14,%r12,4), %xmm1
	addq	%rbx, %r9
	vmovq	%xmm0, %r12
	vmovss	%xmm1, (%r12,%r9,4)
	leal	1(%r11), %r9d
	cmpl	%r9d, %eax
	jle	.L256
	movslq	%r9d, %r9
	leaq	(%r9,%rdx), %r12
	addq	%rbx, %r9
	vmovss	(%r14,%r12,4), %xmm1
	vmovq	%xmm0, %r12
	vmovss	%xmm1, (%r12,%r9,4)
	leal	2(%r11), %r9d
	cmpl	%r9d, %eax
	jle	.L256
	movslq	%r9d, %r9
	leaq	(%r9,%rdx), %r12
	addq	%rbx, %r9
	vmovss	(%r14,%r12,4), %xmm1
	vmovq	%xmm0, %r12
	vmovss	%xmm1, (%r12,%r9,4)
	leal	3(%r11), %r9d
	cmpl	%r9d, %eax
	jle	.L256
	movslq	%r9d, %r9
	leaq	(%r9,%rdx), %r12
	addq	%rbx, %r9
	vmovss	(%r14,%r12,4), %xmm1
	vmovq	%xmm0, %r12
	vmovss	%xmm1, (%r12,%r9,4)
	leal	4(%r11), %r9d
	cmpl	%r9d, %eax
	jle	.L256
	movslq	%r9d, %r9
	leaq	(%r9,%rdx), %r12
	addq	%rbx, %r9
	vmovss	(%r14,%r12,4), %xmm1
	vmovq	%xmm0, %r12
	vmovss	%xmm1, (%r12,%r9,4)
	leal	5(%r11), %r9d
	cmpl	%r9d, %eax
	jle	.L256
	movslq	%r9d, %r9
	addl	$6, %r11d
	leaq	(%r9,%rdx), %r12
	addq	%rbx, %r9
	vmovss	(%r14,%r12,4), %xmm1
	vmovq	%xmm0, %r12
	vmovss	%xmm1, (%r12,%r9,4)
	cmpl	%r11d, %eax
	jle	.L256
	movslq	%r11d, %r11
	addq	%r11, %rdx
	addq	%rbx, %r11
	vmovss	(%r14,%rdx,4), %xmm1
	vmovss	%xmm1, (%r12,%r11,4)
	jmp	.L256
.L360:
	movq	%rdx, %r10
	movslq	%edi, %r11
	vmovq	%xmm0, %rdx
	salq	$2, %r14
	leaq	(%rdx,%r10,4), %r12
	leaq	(%rsi,%r11,4), %rdx
	movq	%rdx, -16(%rsp)
	leal	-1(%rax), %edx
	movq	%rdx, %r10
	addq	%r11, %rdx
	movq	-16(%rsp), %r11
	leaq	4(%rsi,%rdx,4), %rdx
	.p2align 4,,10
	.p2align 3
.L227:
	vmovss	(%r12), %xmm0
	addq	$4, %r11
	addq	%r14, %r12
	vmovss	%xmm0, 1020(%r11)
	cmpq	%rdx, %r11
	jne	.L227
	jmp	.L228
.L357:
	vpxor	%xmm0, %xmm0, %xmm0
	vmovdqu8	%zmm0, 1280(%rsi)
	vmovdqu8	%zmm0, 1344(%rsi)
	vmovdqu8	%zmm0, 1408(%rsi)
	vmovdqu8	%zmm0, 1472(%rsi)
	jmp	.L220
.L356:
	vpxor	%xmm0, %xmm0, %xmm0
	vmovdqu8	%zmm0, 1024(%rsi)
	vmovdqu8	%zmm0, 1088(%rsi)
	vmovdqu8	%zmm0, 1152(%rsi)
	vmovdqu8	%zmm0, 1216(%rsi)
	jmp	.L214
.L260:
	movl	4(%rsp), %r12d
	xorl	%r8d, %r8d
	jmp	.L215
.L259:
	xorl	%r8d, %r8d
	xorl	%r12d, %r12d
	jmp	.L207
.L262:
	xorl	%edx, %edx
	xorl	%r12d, %r12d
	jmp	.L230
.L263:
	xorl	%r9d, %r9d
	xorl	%r11d, %r11d
	jmp	.L242
	.cfi_endproc
.LFE6718:
	.size	_ZN10torchpaged12_GLOBAL__N_16locateERKNS_15AttentionParamsEiilllPKcRNS0_8TileRowsE, .-_ZN10torchpaged12_GLOBAL__N_16locateERKNS_15AttentionParamsEiilllPKcRNS0_8TileRowsE
	.align 2
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_10Bf16EngineEE15start_partitionEv, @function
_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_10Bf16EngineEE15start_partitionEv:
.LFB7177:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%rbx
	.cfi_offset 3, -24
	movq	%rdi, %rbx
	subq	$8, %rsp
	movslq	200(%rdi), %rdx
	testl	%edx, %edx
	jle	.L366
	leal	-1(%rdx), %eax
	movq	64(%rdi), %rsi
	cmpl	$14, %eax
	jbe	.L372
	vbroadcastss	.LC1(%rip), %zmm0
	movl	%edx, %ecx
	movq	%rsi, %rax
	shrl	$4, %ecx
	salq	$6, %rcx
	addq	%rsi, %rcx
	.p2align 4,,10
	.p2align 3
.L368:
	vmovups	%zmm0, (%rax)
	addq	$64, %rax
	cmpq	%rcx, %rax
	jne	.L368
	movl	%edx, %eax
	andl	$-16, %eax
	movl	%eax, %ecx
	cmpl	%eax, %edx
	je	.L383
.L367:
	movl	%edx, %edi
	subl	%ecx, %edi
	leal	-1(%rdi), %r8d
	cmpl	$6, %r8d
	jbe	.L370
	vbroadcastss	.LC1(%rip), %ymm0
	vmovups	%ymm0, (%rsi,%rcx,4)
	movl	%edi, %ecx
	andl	$-8, %ecx
	addl	%ecx, %eax
	andl	$7, %edi
	je	.L383
.L370:
	vmovss	.LC1(%rip), %xmm0
	movslq	%eax, %rdi
	leaq	0(,%rdi,4), %rcx
	vmovss	%xmm0, (%rsi,%rdi,4)
	leal	1(%rax), %edi
	cmpl	%edi, %edx
	jle	.L383
	leal	2(%rax), %edi
	vmovss	%xmm0, 4(%rsi,%rcx)
	cmpl	%edx, %edi
	jge	.L383
	leal	3(%rax), %edi
	vmovss	%xmm0, 8(%rsi,%rcx)
	cmpl	%edi, %edx
	jle	.L383
	leal	4(%rax), %edi
	vmovss	%xmm0, 12(%rsi,%rcx)
	cmpl	%edi, %edx
	jle	.L383
	leal	5(%rax), %edi
	vmovss	%xmm0, 16(%rsi,%rcx)
	cmpl	%edi, %edx
	jle	.L383
	addl	$6, %eax
	vmovss	%xmm0, 20(%rsi,%rcx)
	cmpl	%eax, %edx
	jle	.L383
	vmovss	%xmm0, 24(%rsi,%rcx)
	vzeroupper
	jmp	.L366
	.p2align 4,,10
	.p2align 3
.L383:
	vzeroupper
.L366:
	movq	80(%rbx), %rdi
	salq	$6, %rdx
	xorl	%esi, %esi
	call	memset@PLT
	movslq	200(%rbx), %rdx
	movq	88(%rbx), %rdi
	xorl	%esi, %esi
	imulq	192(%rbx), %rdx
	movq	-8(%rbp), %rbx
	leave
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	salq	$2, %rdx
	jmp	memset@PLT
.L372:
	.cfi_restore_state
	xorl	%ecx, %ecx
	xorl	%eax, %eax
	jmp	.L367
	.cfi_endproc
.LFE7177:
	.size	_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_10Bf16EngineEE15start_partitionEv, .-_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_10Bf16EngineEE15start_partitionEv
	.align 2
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE15start_partitionEv, @function
_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE15start_partitionEv:
.LFB7189:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%rbx
	.cfi_offset 3, -24
	movq	%rdi, %rbx
	subq	$8, %rsp
	movslq	200(%rdi), %rdx
	testl	%edx, %edx
	jle	.L386
	leal	-1(%rdx), %eax
	movq	64(%rdi), %rsi
	cmpl	$14, %eax
	jbe	.L392
	vbroadcastss	.LC1(%rip), %zmm0
	movl	%edx, %ecx
	movq	%rsi, %rax
	shrl	$4, %ecx
	salq	$6, %rcx
	addq	%rsi, %rcx
	.p2align 4,,10
	.p2align 3
.L388:
	vmovups	%zmm0, (%rax)
	addq	$64, %rax
	cmpq	%rcx, %rax
	jne	.L388
	movl	%edx, %eax
	andl	$-16, %eax
	movl	%eax, %ecx
	cmpl	%eax, %edx
	je	.L403
.L387:
	movl	%edx, %edi
	subl	%ecx, %edi
	leal	-1(%rdi), %r8d
	cmpl	$6, %r8d
	jbe	.L390
	vbroadcastss	.LC1(%rip), %ymm0
	vmovups	%ymm0, (%rsi,%rcx,4)
	movl	%edi, %ecx
	andl	$-8, %ecx
	addl	%ecx, %eax
	andl	$7, %edi
	je	.L403
.L390:
	vmovss	.LC1(%rip), %xmm0
	movslq	%eax, %rdi
	leaq	0(,%rdi,4), %rcx
	vmovss	%xmm0, (%rsi,%rdi,4)
	leal	1(%rax), %edi
	cmpl	%edi, %edx
	jle	.L403
	leal	2(%rax), %edi
	vmovss	%xmm0, 4(%rsi,%rcx)
	cmpl	%edx, %edi
	jge	.L403
	leal	3(%rax), %edi
	vmovss	%xmm0, 8(%rsi,%rcx)
	cmpl	%edi, %edx
	jle	.L403
	leal	4(%rax), %edi
	vmovss	%xmm0, 12(%rsi,%rcx)
	cmpl	%edi, %edx
	jle	.L403
	leal	5(%rax), %edi
	vmovss	%xmm0, 16(%rsi,%rcx)
	cmpl	%edi, %edx
	jle	.L403
	addl	$6, %eax
	vmovss	%xmm0, 20(%rsi,%rcx)
	cmpl	%eax, %edx
	jle	.L403
	vmovss	%xmm0, 24(%rsi,%rcx)
	vzeroupper
	jmp	.L386
	.p2align 4,,10
	.p2align 3
.L403:
	vzeroupper
.L386:
	movq	80(%rbx), %rdi
	salq	$6, %rdx
	xorl	%esi, %esi
	call	memset@PLT
	movslq	200(%rbx), %rdx
	movq	88(%rbx), %rdi
	xorl	%esi, %esi
	imulq	192(%rbx), %rdx
	movq	-8(%rbp), %rbx
	leave
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	salq	$2, %rdx
	jmp	memset@PLT
.L392:
	.cfi_restore_state
	xorl	%ecx, %ecx
	xorl	%eax, %eax
	jmp	.L387
	.cfi_endproc
.LFE7189:
	.size	_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE15start_partitionEv, .-_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE15start_partitionEv
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_18get_someINS0_10Float8E4M3EEEDv16_fPKNT_1TEl, @function
_ZN10torchpaged12_GLOBAL__N_18get_someINS0_10Float8E4M3EEEDv16_fPKNT_1TEl:
.LFB6951:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	vpxor	%xmm0, %xmm0, %xmm0
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	andq	$-64, %rsp
	subq	$64, %rsp
	vmovdqa	%xmm0, 48(%rsp)
	testq	%rsi, %rsi
	jle	.L407
	leaq	48(%rsp), %rax
	movq	%rsi, %rdx
	movq	%rdi, %rsi
	movq	%rax, %rdi
	call	memcpy@PLT
	vpmovzxbd	48(%rsp), %zmm1
.L406:
	movl	$127, %eax
	vpbroadcastd	%eax, %zmm2
	movl	$2143289344, %eax
	vpandd	%zmm2, %zmm1, %zmm0
	vpcmpd	$0, %zmm2, %zmm0, %k1
	vpslld	$20, %zmm0, %zmm0
	vmulps	.LC21(%rip){1to16}, %zmm0, %zmm0
	leave
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	vpbroadcastd	%eax, %zmm3{%k1}{z}
	movl	$128, %eax
	vpbroadcastd	%eax, %zmm2
	vpandd	%zmm2, %zmm1, %zmm1
	vpslld	$24, %zmm1, %zmm1
	vpternlogd	$254, %zmm1, %zmm3, %zmm0
	ret
	.p2align 4,,10
	.p2align 3
.L407:
	.cfi_restore_state
	vpxor	%xmm1, %xmm1, %xmm1
	jmp	.L406
	.cfi_endproc
.LFE6951:
	.size	_ZN10torchpaged12_GLOBAL__N_18get_someINS0_10Float8E4M3EEEDv16_fPKNT_1TEl, .-_ZN10torchpaged12_GLOBAL__N_18get_someINS0_10Float8E4M3EEEDv16_fPKNT_1TEl
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_18get_someINS0_10Float8E5M2EEEDv16_fPKNT_1TEl, @function
_ZN10torchpaged12_GLOBAL__N_18get_someINS0_10Float8E5M2EEEDv16_fPKNT_1TEl:
.LFB6952:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	vpxor	%xmm0, %xmm0, %xmm0
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	andq	$-64, %rsp
	subq	$64, %rsp
	vmovdqa	%xmm0, 48(%rsp)
	testq	%rsi, %rsi
	jle	.L411
	leaq	48(%rsp), %rax
	movq	%rsi, %rdx
	movq	%rdi, %rsi
	movq	%rax, %rdi
	call	memcpy@PLT
	vpmovzxbd	48(%rsp), %zmm1
.L410:
	movl	$127, %eax
	vpbroadcastd	%eax, %zmm0
	movl	$123, %eax
	vpandd	%zmm0, %zmm1, %zmm0
	vpbroadcastd	%eax, %zmm2
	movl	$2139095040, %eax
	vpcmpd	$6, %zmm2, %zmm0, %k1
	vpslld	$21, %zmm0, %zmm0
	vmulps	.LC26(%rip){1to16}, %zmm0, %zmm0
	leave
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	vpbroadcastd	%eax, %zmm3{%k1}{z}
	movl	$128, %eax
	vpbroadcastd	%eax, %zmm2
	vpandd	%zmm2, %zmm1, %zmm1
	vpslld	$24, %zmm1, %zmm1
	vpternlogd	$254, %zmm1, %zmm3, %zmm0
	ret
	.p2align 4,,10
	.p2align 3
.L411:
	.cfi_restore_state
	vpxor	%xmm1, %xmm1, %xmm1
	jmp	.L410
	.cfi_endproc
.LFE6952:
	.size	_ZN10torchpaged12_GLOBAL__N_18get_someINS0_10Float8E5M2EEEDv16_fPKNT_1TEl, .-_ZN10torchpaged12_GLOBAL__N_18get_someINS0_10Float8E5M2EEEDv16_fPKNT_1TEl
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_10Bf16EngineELi3ELi4EEEvPKfllS4_Pfb, @function
_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_10Bf16EngineELi3ELi4EEEvPKfllS4_Pfb:
.LFB7483:
	.cfi_startproc
	testb	%r9b, %r9b
	je	.L417
	vmovups	(%r8), %zmm16
	vmovups	64(%r8), %zmm15
	vmovups	128(%r8), %zmm14
	vmovups	192(%r8), %zmm13
	vmovups	256(%r8), %zmm12
	vmovups	320(%r8), %zmm11
	vmovups	384(%r8), %zmm10
	vmovups	448(%r8), %zmm9
	vmovups	512(%r8), %zmm8
	vmovups	576(%r8), %zmm7
	vmovups	640(%r8), %zmm6
	vmovups	704(%r8), %zmm5
.L414:
	testq	%rdx, %rdx
	jle	.L415
	movq	%rcx, %rax
	salq	$8, %rdx
	leaq	(%rsi,%rsi), %r9
	movq	%rdi, %rcx
	addq	%rax, %rdx
	.p2align 4,,10
	.p2align 3
.L416:
	vbroadcastss	(%rcx), %zmm4
	vmovups	(%rax), %zmm3
	addq	$256, %rax
	vdpbf16ps	%zmm3, %zmm4, %zmm16
	vmovups	-128(%rax), %zmm1
	vmovups	-64(%rax), %zmm0
	vmovups	-192(%rax), %zmm2
	vdpbf16ps	%zmm1, %zmm4, %zmm14
	vdpbf16ps	%zmm0, %zmm4, %zmm13
	vdpbf16ps	%zmm2, %zmm4, %zmm15
	vbroadcastss	(%rcx,%rsi,4), %zmm4
	vdpbf16ps	%zmm3, %zmm4, %zmm12
	vdpbf16ps	%zmm2, %zmm4, %zmm11
	vdpbf16ps	%zmm1, %zmm4, %zmm10
	vdpbf16ps	%zmm0, %zmm4, %zmm9
	vbroadcastss	(%rcx,%r9,4), %zmm4
	addq	$4, %rcx
	vdpbf16ps	%zmm3, %zmm4, %zmm8
	vdpbf16ps	%zmm2, %zmm4, %zmm7
	vdpbf16ps	%zmm1, %zmm4, %zmm6
	vdpbf16ps	%zmm0, %zmm4, %zmm5
	cmpq	%rax, %rdx
	jne	.L416
.L415:
	vmovups	%zmm16, (%r8)
	vmovups	%zmm15, 64(%r8)
	vmovups	%zmm14, 128(%r8)
	vmovups	%zmm13, 192(%r8)
	vmovups	%zmm12, 256(%r8)
	vmovups	%zmm11, 320(%r8)
	vmovups	%zmm10, 384(%r8)
	vmovups	%zmm9, 448(%r8)
	vmovups	%zmm8, 512(%r8)
	vmovups	%zmm7, 576(%r8)
	vmovups	%zmm6, 640(%r8)
	vmovups	%zmm5, 704(%r8)
	vzeroupper
	ret
.L417:
	vxorps	%xmm6, %xmm6, %xmm6
	vmovaps	%zmm6, %zmm7
	vmovaps	%zmm6, %zmm8
	vmovaps	%zmm6, %zmm9
	vmovaps	%zmm6, %zmm10
	vmovaps	%zmm6, %zmm11
	vmovaps	%zmm6, %zmm12
	vmovaps	%zmm6, %zmm13
	vmovaps	%zmm6, %zmm14
	vmovaps	%zmm6, %zmm15
	vmovaps	%zmm6, %zmm16
	vmovaps	%zmm6, %zmm5
	jmp	.L414
	.cfi_endproc
.LFE7483:
	.size	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_10Bf16EngineELi3ELi4EEEvPKfllS4_Pfb, .-_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_10Bf16EngineELi3ELi4EEEvPKfllS4_Pfb
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_10Bf16EngineELi4ELi4EEEvPKfllS4_Pfb, @function
_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_10Bf16EngineELi4ELi4EEEvPKfllS4_Pfb:
.LFB7485:
	.cfi_startproc
	movq	%rdx, %r10
	testb	%r9b, %r9b
	je	.L423
	vmovups	(%r8), %zmm20
	vmovups	64(%r8), %zmm19
	vmovups	128(%r8), %zmm18
	vmovups	192(%r8), %zmm17
	vmovups	256(%r8), %zmm16
	vmovups	320(%r8), %zmm15
	vmovups	384(%r8), %zmm14
	vmovups	448(%r8), %zmm13
	vmovups	512(%r8), %zmm12
	vmovups	576(%r8), %zmm11
	vmovups	640(%r8), %zmm10
	vmovups	704(%r8), %zmm9
	vmovups	768(%r8), %zmm8
	vmovups	832(%r8), %zmm7
	vmovups	896(%r8), %zmm6
	vmovups	960(%r8), %zmm5
.L420:
	testq	%r10, %r10
	jle	.L421
	leaq	(%rsi,%rsi), %r9
	salq	$8, %r10
	movq	%rcx, %rax
	movq	%rdi, %rdx
	leaq	(%r9,%rsi), %r11
	leaq	(%rcx,%r10), %rcx
	.p2align 4,,10
	.p2align 3
.L422:
	vbroadcastss	(%rdx), %zmm4
	vmovups	(%rax), %zmm3
	addq	$256, %rax
	vdpbf16ps	%zmm3, %zmm4, %zmm20
	vmovups	-128(%rax), %zmm1
	vmovups	-64(%rax), %zmm0
	vmovups	-192(%rax), %zmm2
	vdpbf16ps	%zmm1, %zmm4, %zmm18
	vdpbf16ps	%zmm0, %zmm4, %zmm17
	vdpbf16ps	%zmm2, %zmm4, %zmm19
	vbroadcastss	(%rdx,%rsi,4), %zmm4
	vdpbf16ps	%zmm3, %zmm4, %zmm16
	vdpbf16ps	%zmm2, %zmm4, %zmm15
	vdpbf16ps	%zmm1, %zmm4, %zmm14
	vdpbf16ps	%zmm0, %zmm4, %zmm13
	vbroadcastss	(%rdx,%r9,4), %zmm4
	vdpbf16ps	%zmm3, %zmm4, %zmm12
	vdpbf16ps	%zmm2, %zmm4, %zmm11
	vdpbf16ps	%zmm1, %zmm4, %zmm10
	vdpbf16ps	%zmm0, %zmm4, %zmm9
	vbroadcastss	(%rdx,%r11,4), %zmm4
	addq	$4, %rdx
	vdpbf16ps	%zmm3, %zmm4, %zmm8
	vdpbf16ps	%zmm2, %zmm4, %zmm7
	vdpbf16ps	%zmm1, %zmm4, %zmm6
	vdpbf16ps	%zmm0, %zmm4, %zmm5
	cmpq	%rax, %rcx
	jne	.L422
.L421:
	vmovups	%zmm20, (%r8)
	vmovups	%zmm19, 64(%r8)
	vmovups	%zmm18, 128(%r8)
	vmovups	%zmm17, 192(%r8)
	vmovups	%zmm16, 256(%r8)
	vmovups	%zmm15, 320(%r8)
	vmovups	%zmm14, 384(%r8)
	vmovups	%zmm13, 448(%r8)
	vmovups	%zmm12, 512(%r8)
	vmovups	%zmm11, 576(%r8)
	vmovups	%zmm10, 640(%r8)
	vmovups	%zmm9, 704(%r8)
	vmovups	%zmm8, 768(%r8)
	vmovups	%zmm7, 832(%r8)
	vmovups	%zmm6, 896(%r8)
	vmovups	%zmm5, 960(%r8)
	vzeroupper
	ret
.L423:
	vxorps	%xmm6, %xmm6, %xmm6
	vmovaps	%zmm6, %zmm7
	vmovaps	%zmm6, %zmm8
	vmovaps	%zmm6, %zmm9
	vmovaps	%zmm6, %zmm10
	vmovaps	%zmm6, %zmm11
	vmovaps	%zmm6, %zmm12
	vmovaps	%zmm6, %zmm13
	vmovaps	%zmm6, %zmm14
	vmovaps	%zmm6, %zmm15
	vmovaps	%zmm6, %zmm16
	vmovaps	%zmm6, %zmm17
	vmovaps	%zmm6, %zmm18
	vmovaps	%zmm6, %zmm19
	vmovaps	%zmm6, %zmm20
	vmovaps	%zmm6, %zmm5
	jmp	.L420
	.cfi_endproc
.LFE7485:
	.size	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_10Bf16EngineELi4ELi4EEEvPKfllS4_Pfb, .-_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_10Bf16EngineELi4ELi4EEEvPKfllS4_Pfb
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi2ELi8EEEvPflPKfS5_S5_ll, @function
_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi2ELi8EEEvPflPKfS5_S5_ll:
.LFB7489:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	salq	$2, %rsi
	movq	%r8, %rax
	leaq	320(%rdi,%rsi), %r11
	leaq	384(%rdi,%rsi), %r10
	leaq	448(%rdi,%rsi), %r8
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	.cfi_offset 15, -24
	leaq	64(%rdi,%rsi), %r15
	pushq	%r14
	.cfi_offset 14, -32
	leaq	128(%rdi,%rsi), %r14
	pushq	%r13
	.cfi_offset 13, -40
	leaq	192(%rdi,%rsi), %r13
	pushq	%r12
	.cfi_offset 12, -48
	leaq	256(%rdi,%rsi), %r12
	pushq	%rbx
	.cfi_offset 3, -56
	leaq	(%rdi,%rsi), %rbx
	cmpq	$0, 16(%rbp)
	vbroadcastss	(%rdx), %zmm10
	vbroadcastss	4(%rdx), %zmm9
	vmulps	(%rdi), %zmm10, %zmm24
	vmulps	64(%rdi), %zmm10, %zmm23
	vmulps	128(%rdi), %zmm10, %zmm22
	vmulps	192(%rdi), %zmm10, %zmm21
	vmulps	256(%rdi), %zmm10, %zmm20
	vmulps	320(%rdi), %zmm10, %zmm19
	vmulps	384(%rdi), %zmm10, %zmm18
	vmulps	(%rbx), %zmm9, %zmm17
	vmulps	(%r15), %zmm9, %zmm16
	vmulps	(%r14), %zmm9, %zmm15
	vmulps	0(%r13), %zmm9, %zmm14
	vmulps	(%r12), %zmm9, %zmm13
	vmulps	(%r11), %zmm9, %zmm12
	vmulps	(%r10), %zmm9, %zmm11
	vmulps	448(%rdi), %zmm10, %zmm10
	vmulps	(%r8), %zmm9, %zmm9
	jle	.L426
	movq	%rcx, %rdx
	movq	16(%rbp), %rcx
	leaq	0(,%r9,4), %rsi
	leaq	(%rdx,%rcx,4), %rcx
	.p2align 4,,10
	.p2align 3
.L427:
	vbroadcastss	(%rdx), %zmm0
	vmovups	(%rax), %zmm8
	addq	$4, %rdx
	vmovups	64(%rax), %zmm7
	vmovups	128(%rax), %zmm6
	vmovups	192(%rax), %zmm5
	vmovups	256(%rax), %zmm4
	vmovups	320(%rax), %zmm3
	vmovups	384(%rax), %zmm2
	vmovups	448(%rax), %zmm1
	addq	%rsi, %rax
	vdpbf16ps	%zmm8, %zmm0, %zmm24
	vdpbf16ps	%zmm7, %zmm0, %zmm23
	vdpbf16ps	%zmm6, %zmm0, %zmm22
	vdpbf16ps	%zmm5, %zmm0, %zmm21
	vdpbf16ps	%zmm4, %zmm0, %zmm20
	vdpbf16ps	%zmm3, %zmm0, %zmm19
	vdpbf16ps	%zmm2, %zmm0, %zmm18
	vdpbf16ps	%zmm1, %zmm0, %zmm10
	vbroadcastss	252(%rdx), %zmm0
	vdpbf16ps	%zmm8, %zmm0, %zmm17
	vdpbf16ps	%zmm7, %zmm0, %zmm16
	vdpbf16ps	%zmm6, %zmm0, %zmm15
	vdpbf16ps	%zmm5, %zmm0, %zmm14
	vdpbf16ps	%zmm4, %zmm0, %zmm13
	vdpbf16ps	%zmm3, %zmm0, %zmm12
	vdpbf16ps	%zmm2, %zmm0, %zmm11
	vdpbf16ps	%zmm1, %zmm0, %zmm9
	cmpq	%rdx, %rcx
	jne	.L427
.L426:
	vmovups	%zmm24, (%rdi)
	vmovups	%zmm23, 64(%rdi)
	vmovups	%zmm22, 128(%rdi)
	vmovups	%zmm21, 192(%rdi)
	vmovups	%zmm20, 256(%rdi)
	vmovups	%zmm19, 320(%rdi)
	vmovups	%zmm18, 384(%rdi)
	vmovups	%zmm10, 448(%rdi)
	vmovups	%zmm17, (%rbx)
	vmovups	%zmm16, (%r15)
	vmovups	%zmm15, (%r14)
	vmovups	%zmm14, 0(%r13)
	vmovups	%zmm13, (%r12)
	vmovups	%zmm12, (%r11)
	vmovups	%zmm11, (%r10)
	vmovups	%zmm9, (%r8)
	vzeroupper
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE7489:
	.size	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi2ELi8EEEvPflPKfS5_S5_ll, .-_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi2ELi8EEEvPflPKfS5_S5_ll
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi3ELi8EEEvPflPKfS5_S5_ll, @function
_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi3ELi8EEEvPflPKfS5_S5_ll:
.LFB7491:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rdx, %r10
	movq	%r8, %rax
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	subq	$8, %rsp
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	movq	%rcx, -72(%rsp)
	movq	%r9, %rcx
	vbroadcastss	(%rdx), %zmm10
	leaq	0(,%rsi,4), %rdx
	vbroadcastss	4(%r10), %zmm9
	leaq	(%rdi,%rdx), %r8
	leaq	448(%rdi,%rdx), %r15
	vbroadcastss	8(%r10), %zmm0
	vmulps	(%rdi), %zmm10, %zmm31
	leaq	64(%rdi,%rdx), %r14
	leaq	128(%rdi,%rdx), %r13
	vmulps	(%r8), %zmm9, %zmm24
	leaq	192(%rdi,%rdx), %r12
	leaq	256(%rdi,%rdx), %rbx
	vmulps	(%r14), %zmm9, %zmm23
	leaq	320(%rdi,%rdx), %r9
	leaq	384(%rdi,%rdx), %r11
	vmulps	0(%r13), %zmm9, %zmm22
	vmulps	(%r12), %zmm9, %zmm21
	vmovq	%r15, %xmm7
	vmulps	(%rbx), %zmm9, %zmm20
	vmulps	(%r9), %zmm9, %zmm19
	vmulps	(%r11), %zmm9, %zmm18
	vmulps	(%r15), %zmm9, %zmm9
	leaq	0(,%rsi,8), %r15
	leaq	(%r8,%rdx), %rsi
	vmulps	(%rsi), %zmm0, %zmm17
	leaq	128(%rdi,%r15), %r10
	movq	%rsi, -64(%rsp)
	leaq	64(%rdi,%r15), %rsi
	vmulps	64(%rdi), %zmm10, %zmm30
	vmovq	%r10, %xmm1
	vmulps	128(%rdi), %zmm10, %zmm29
	vmulps	192(%rdi), %zmm10, %zmm28
	vmulps	256(%rdi), %zmm10, %zmm27
	vmulps	320(%rdi), %zmm10, %zmm26
	vmulps	384(%rdi), %zmm10, %zmm25
	vmulps	(%rsi), %zmm0, %zmm16
	vmulps	448(%rdi), %zmm10, %zmm10
	vmulps	(%r10), %zmm0, %zmm15
	leaq	192(%rdi,%r15), %r10
	cmpq	$0, 16(%rbp)
	vmulps	(%r10), %zmm0, %zmm14
	vmovq	%r10, %xmm2
	leaq	256(%rdi,%r15), %r10
	vmulps	(%r10), %zmm0, %zmm13
	vmovq	%r10, %xmm3
	leaq	320(%rdi,%r15), %r10
	vmulps	(%r10), %zmm0, %zmm12
	vmovq	%r10, %xmm4
	leaq	384(%rdi,%r15), %r10
	vmulps	(%r10), %zmm0, %zmm11
	vmovq	%r10, %xmm5
	leaq	448(%rdi,%r15), %r10
	vmulps	(%r10), %zmm0, %zmm0
	vmovq	%r10, %xmm6
	vmovaps	%zmm0, -56(%rsp)
	jle	.L431
	movq	-72(%rsp), %rdx
	movq	16(%rbp), %r10
	vmovq	%xmm7, -72(%rsp)
	salq	$2, %rcx
	vmovq	%xmm1, -80(%rsp)
	vmovaps	%zmm11, %zmm7
	vmovaps	%zmm10, %zmm1
	leaq	(%rdx,%r10,4), %r15
	vmovq	%xmm2, -88(%rsp)
	movq	%r13, %r10
	vmovaps	%zmm25, %zmm2
	vmovq	%xmm3, -96(%rsp)
	vmovaps	%zmm24, %zmm25
	vmovaps	%zmm15, %zmm3
	vmovaps	%zmm23, %zmm24
	vmovq	%xmm4, -104(%rsp)
	vmovaps	%zmm22, %zmm23
	vmovaps	%zmm14, %zmm4
	vmovaps	%zmm21, %zmm22
	vmovq	%xmm5, -112(%rsp)
	vmovaps	%zmm20, %zmm21
	vmovaps	%zmm13, %zmm5
	vmovaps	%zmm19, %zmm20
	vmovq	%xmm6, -120(%rsp)
	vmovaps	%zmm18, %zmm19
	vmovaps	%zmm12, %zmm6
	vmovaps	%zmm9, %zmm18
	.p2align 4,,10
	.p2align 3
.L432:
	vbroadcastss	(%rdx), %zmm0
	vmovups	(%rax), %zmm15
	addq	$4, %rdx
	vmovups	64(%rax), %zmm14
	vmovups	128(%rax), %zmm13
	vmovups	192(%rax), %zmm12
	vmovups	256(%rax), %zmm11
	vmovups	320(%rax), %zmm10
	vmovups	384(%rax), %zmm9
	vdpbf16ps	%zmm11, %zmm0, %zmm27
	vmovups	448(%rax), %zmm8
	addq	%rcx, %rax
	vdpbf16ps	%zmm15, %zmm0, %zmm31
	vdpbf16ps	%zmm14, %zmm0, %zmm30
	vdpbf16ps	%zmm13, %zmm0, %zmm29
	vdpbf16ps	%zmm12, %zmm0, %zmm28
	vdpbf16ps	%zmm10, %zmm0, %zmm26
	vdpbf16ps	%zmm9, %zmm0, %zmm2
	vdpbf16ps	%zmm8, %zmm0, %zmm1
	vbroadcastss	252(%rdx), %zmm0
	vdpbf16ps	%zmm11, %zmm0, %zmm21
	vdpbf16ps	%zmm15, %zmm0, %zmm25
	vdpbf16ps	%zmm14, %zmm0, %zmm24
	vdpbf16ps	%zmm13, %zmm0, %zmm23
	vdpbf16ps	%zmm12, %zmm0, %zmm22
	vdpbf16ps	%zmm10, %zmm0, %zmm20
	vdpbf16ps	%zmm9, %zmm0, %zmm19
	vdpbf16ps	%zmm8, %zmm0, %zmm18
	vbroadcastss	508(%rdx), %zmm0
	vdpbf16ps	%zmm11, %zmm0, %zmm5
	vmovaps	-56(%rsp), %zmm11
	vdpbf16ps	%zmm15, %zmm0, %zmm17
	vdpbf16ps	%zmm8, %zmm0, %zmm11
	vdpbf16ps	%zmm14, %zmm0, %zmm16
	vdpbf16ps	%zmm13, %zmm0, %zmm3
	vdpbf16ps	%zmm12, %zmm0, %zmm4
	vdpbf16ps	%zmm10, %zmm0, %zmm6
	vdpbf16ps	%zmm9, %zmm0, %zmm7
	vmovaps	%zmm11, -56(%rsp)
	cmpq	%rdx, %r15
	jne	.L432
	vmovaps	%zmm18, %zmm9
	vmovaps	%zmm1, %zmm10
	movq	%r10, %r13
	vmovq	-80(%rsp), %xmm1
	vmovaps	%zmm19, %zmm18
	vmovaps	%zmm3, %zmm15
	vmovaps	%zmm20, %zmm19
	vmovq	-96(%rsp), %xmm3
	vmovaps	%zmm21, %zmm20
	vmovaps	%zmm4, %zmm14
	vmovaps	%zmm22, %zmm21
	vmovq	-104(%rsp), %xmm4
	vmovaps	%zmm23, %zmm22
	vmovaps	%zmm5, %zmm13
	vmovaps	%zmm24, %zmm23
	vmovq	-112(%rsp), %xmm5
	vmovaps	%zmm25, %zmm24
	vmovaps	%zmm6, %zmm12
	vmovaps	%zmm2, %zmm25
	vmovq	-120(%rsp), %xmm6
	vmovaps	%zmm7, %zmm11
	vmovq	-88(%rsp), %xmm2
	vmovq	-72(%rsp), %xmm7
.L431:
	vmovq	%xmm7, %rax
	vmovups	%zmm31, (%rdi)
	vmovups	%zmm30, 64(%rdi)
	vmovups	%zmm29, 128(%rdi)
	vmovups	%zmm28, 192(%rdi)
	vmovups	%zmm27, 256(%rdi)
	vmovups	%zmm26, 320(%rdi)
	vmovups	%zmm25, 384(%rdi)
	vmovups	%zmm10, 448(%rdi)
	vmovups	%zmm24, (%r8)
	vmovups	%zmm23, (%r14)
	vmovups	%zmm22, 0(%r13)
	vmovups	%zmm21, (%r12)
	vmovups	%zmm20, (%rbx)
	vmovups	%zmm19, (%r9)
	vmovups	%zmm18, (%r11)
	vmovups	%zmm9, (%rax)
	movq	-64(%rsp), %rax
	vmovups	%zmm17, (%rax)
	vmovq	%xmm1, %rax
	vmovaps	-56(%rsp), %zmm1
	vmovups	%zmm16, (%rsi)
	vmovups	%zmm15, (%rax)
	vmovq	%xmm2, %rax
	vmovups	%zmm14, (%rax)
	vmovq	%xmm3, %rax
	vmovups	%zmm13, (%rax)
	vmovq	%xmm4, %rax
	vmovups	%zmm12, (%rax)
	vmovq	%xmm5, %rax
	vmovups	%zmm11, (%rax)
	vmovq	%xmm6, %rax
	vmovups	%zmm1, (%rax)
	vzeroupper
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE7491:
	.size	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi3ELi8EEEvPflPKfS5_S5_ll, .-_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi3ELi8EEEvPflPKfS5_S5_ll
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi4ELi8EEEvPflPKfS5_S5_ll, @function
_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi4ELi8EEEvPflPKfS5_S5_ll:
.LFB7493:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsi, %r10
	movq	%rdx, %rsi
	leaq	0(,%r10,4), %rax
	leaq	384(%rdi,%rax), %r11
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	.cfi_offset 15, -24
	leaq	64(%rdi,%rax), %r15
	pushq	%r14
	.cfi_offset 14, -32
	leaq	128(%rdi,%rax), %r14
	pushq	%r13
	.cfi_offset 13, -40
	leaq	192(%rdi,%rax), %r13
	pushq	%r12
	.cfi_offset 12, -48
	leaq	256(%rdi,%rax), %r12
	pushq	%rbx
	.cfi_offset 3, -56
	leaq	320(%rdi,%rax), %rbx
	andq	$-64, %rsp
	subq	$648, %rsp
	movq	%r9, -64(%rsp)
	leaq	(%rdi,%rax), %r9
	movq	%rcx, 8(%rsp)
	leaq	448(%rdi,%rax), %rcx
	vbroadcastss	(%rdx), %zmm1
	vmulps	(%rdi), %zmm1, %zmm31
	movq	%r8, -56(%rsp)
	leaq	(%r9,%rax), %r8
	vbroadcastss	4(%rdx), %zmm11
	vmulps	(%r9), %zmm11, %zmm4
	leaq	0(,%r10,8), %rdx
	vmulps	448(%rdi), %zmm1, %zmm3
	vmulps	(%r15), %zmm11, %zmm5
	vmulps	(%r14), %zmm11, %zmm6
	vmulps	0(%r13), %zmm11, %zmm7
	vmulps	384(%rdi), %zmm1, %zmm2
	vmovaps	%zmm4, 200(%rsp)
	vmulps	64(%rdi), %zmm1, %zmm30
	vmovaps	%zmm3, 136(%rsp)
	vmulps	128(%rdi), %zmm1, %zmm29
	vmovaps	%zmm5, 264(%rsp)
	vmulps	192(%rdi), %zmm1, %zmm28
	vmovaps	%zmm6, 328(%rsp)
	vmulps	256(%rdi), %zmm1, %zmm27
	vmovaps	%zmm7, 392(%rsp)
	vmulps	320(%rdi), %zmm1, %zmm26
	vmovaps	%zmm2, 72(%rsp)
	vmulps	(%r12), %zmm11, %zmm2
	movq	%rcx, (%rsp)
	vmulps	(%rbx), %zmm11, %zmm3
	vbroadcastss	8(%rsi), %zmm10
	vmulps	(%r11), %zmm11, %zmm4
	vbroadcastss	12(%rsi), %zmm9
	vmulps	(%rcx), %zmm11, %zmm11
	leaq	64(%rdi,%rdx), %rcx
	vmulps	(%rcx), %zmm10, %zmm24
	vmovq	%rcx, %xmm1
	leaq	128(%rdi,%rdx), %rcx
	vmulps	(%rcx), %zmm10, %zmm23
	vmovaps	%zmm2, 456(%rsp)
	vmovq	%rcx, %xmm2
	leaq	192(%rdi,%rdx), %rcx
	vmulps	(%rcx), %zmm10, %zmm22
	vmovaps	%zmm3, 520(%rsp)
	vmovq	%rcx, %xmm3
	leaq	256(%rdi,%rdx), %rcx
	vmulps	(%rcx), %zmm10, %zmm21
	vmovaps	%zmm4, 584(%rsp)
	vmovq	%rcx, %xmm4
	leaq	320(%rdi,%rdx), %rcx
	vmulps	(%rcx), %zmm10, %zmm20
	vmovq	%rcx, %xmm5
	leaq	384(%rdi,%rdx), %rcx
	vmulps	(%rcx), %zmm10, %zmm19
	vmovq	%rcx, %xmm6
	leaq	(%r10,%r10,2), %rcx
	leaq	(%r8,%rax), %r10
	leaq	64(,%rcx,4), %rax
	vmulps	(%r8), %zmm10, %zmm25
	leaq	448(%rdi,%rdx), %rdx
	leaq	(%rdi,%rax), %rsi
	vmulps	(%r10), %zmm9, %zmm18
	vmulps	(%rsi), %zmm9, %zmm17
	vmovq	%rdx, %xmm7
	vmovq	%rsi, %xmm8
	vmulps	(%rdx), %zmm10, %zmm10
	leaq	64(%rdi,%rax), %rsi
	leaq	0(,%rcx,4), %rdx
	vmulps	(%rsi), %zmm9, %zmm16
	movq	%rsi, -8(%rsp)
	leaq	192(%rdi,%rdx), %rsi
	vmulps	(%rsi), %zmm9, %zmm15
	movq	%rsi, -16(%rsp)
	leaq	192(%rdi,%rax), %rsi
	vmulps	(%rsi), %zmm9, %zmm14
	movq	%rsi, -24(%rsp)
	leaq	256(%rdi,%rax), %rsi
	vmulps	(%rsi), %zmm9, %zmm13
	movq	%rsi, -32(%rsp)
	leaq	384(%rdi,%rdx), %rsi
	vmulps	(%rsi), %zmm9, %zmm12
	movq	%rsi, -40(%rsp)
	leaq	384(%rdi,%rax), %rsi
	vmulps	(%rsi), %zmm9, %zmm9
	movq	%rsi, -48(%rsp)
	cmpq	$0, 16(%rbp)
	jle	.L436
	movq	-64(%rsp), %rcx
	movq	8(%rsp), %rdx
	vmovq	%xmm2, -64(%rsp)
	vmovaps	%zmm17, %zmm2
	movq	16(%rbp), %rsi
	movq	-56(%rsp), %rax
	vmovaps	%zmm18, 8(%rsp)
	vmovaps	%zmm11, %zmm17
	vmovq	%xmm3, -72(%rsp)
	salq	$2, %rcx
	vmovaps	%zmm10, %zmm18
	vmovaps	%zmm16, %zmm3
	vmovq	%xmm4, -80(%rsp)
	leaq	(%rdx,%rsi,4), %rsi
	vmovaps	%zmm15, %zmm4
	vmovq	%xmm5, -88(%rsp)
	vmovaps	%zmm14, %zmm5
	vmovq	%xmm6, -96(%rsp)
	vmovaps	%zmm13, %zmm6
	vmovq	%xmm7, -104(%rsp)
	vmovaps	%zmm12, %zmm7
	vmovq	%xmm8, -112(%rsp)
	vmovaps	%zmm9, %zmm8
	vmovq	%xmm1, -56(%rsp)
	.p2align 4,,10
	.p2align 3
.L437:
	vbroadcastss	(%rdx), %zmm0
	vmovups	(%rax), %zmm16
	addq	$4, %rdx
	vmovaps	72(%rsp), %zmm1
	vmovups	64(%rax), %zmm15
	vmovups	384(%rax), %zmm10
	vmovups	448(%rax), %zmm9
	vdpbf16ps	%zmm10, %zmm0, %zmm1
	vmovups	128(%rax), %zmm14
	vmovups	192(%rax), %zmm13
	vdpbf16ps	%zmm16, %zmm0, %zmm31
	vmovaps	%zmm1, 72(%rsp)
	vmovaps	136(%rsp), %zmm1
	vmovups	256(%rax), %zmm12
	vmovups	320(%rax), %zmm11
	addq	%rcx, %rax
	vdpbf16ps	%zmm9, %zmm0, %zmm1
	vdpbf16ps	%zmm15, %zmm0, %zmm30
	vdpbf16ps	%zmm14, %zmm0, %zmm29
	vdpbf16ps	%zmm13, %zmm0, %zmm28
	vdpbf16ps	%zmm12, %zmm0, %zmm27
	vmovaps	%zmm1, 136(%rsp)
	vmovaps	200(%rsp), %zmm1
	vdpbf16ps	%zmm11, %zmm0, %zmm26
	vbroadcastss	252(%rdx), %zmm0
	vdpbf16ps	%zmm16, %zmm0, %zmm1
	vdpbf16ps	%zmm9, %zmm0, %zmm17
	vmovaps	%zmm1, 200(%rsp)
	vmovaps	264(%rsp), %zmm1
	vdpbf16ps	%zmm15, %zmm0, %zmm1
	vmovaps	%zmm1, 264(%rsp)
	vmovaps	328(%rsp), %zmm1
	vdpbf16ps	%zmm14, %zmm0, %zmm1
	vmovaps	%zmm1, 328(%rsp)
	vmovaps	392(%rsp), %zmm1
	vdpbf16ps	%zmm13, %zmm0, %zmm1
	vmovaps	%zmm1, 392(%rsp)
	vmovaps	456(%rsp), %zmm1
	vdpbf16ps	%zmm12, %zmm0, %zmm1
	vmovaps	%zmm1, 456(%rsp)
	vmovaps	520(%rsp), %zmm1
	vdpbf16ps	%zmm11, %zmm0, %zmm1
	vmovaps	%zmm1, 520(%rsp)
	vmovaps	584(%rsp), %zmm1
	vdpbf16ps	%zmm10, %zmm0, %zmm1
	vbroadcastss	508(%rdx), %zmm0
	vdpbf16ps	%zmm16, %zmm0, %zmm25
	vdpbf16ps	%zmm15, %zmm0, %zmm24
	vdpbf16ps	%zmm14, %zmm0, %zmm23
	vdpbf16ps	%zmm13, %zmm0, %zmm22
	vdpbf16ps	%zmm12, %zmm0, %zmm21
	vmovaps	%zmm1, 584(%rsp)
	vmovaps	8(%rsp), %zmm1
	vdpbf16ps	%zmm11, %zmm0, %zmm20
	vdpbf16ps	%zmm10, %zmm0, %zmm19
	vdpbf16ps	%zmm9, %zmm0, %zmm18
	vbroadcastss	764(%rdx), %zmm0
	vdpbf16ps	%zmm16, %zmm0, %zmm1
	vdpbf16ps	%zmm15, %zmm0, %zmm2
	vdpbf16ps	%zmm14, %zmm0, %zmm3
	vdpbf16ps	%zmm13, %zmm0, %zmm4
	vdpbf16ps	%zmm12, %zmm0, %zmm5
	vdpbf16ps	%zmm11, %zmm0, %zmm6
	vdpbf16ps	%zmm10, %zmm0, %zmm7
	vmovaps	%zmm1, 8(%rsp)
	vdpbf16ps	%zmm9, %zmm0, %zmm8
	cmpq	%rdx, %rsi
	jne	.L437
	vmovaps	%zmm17, %zmm11
	vmovaps	%zmm18, %zmm10
	vmovaps	%zmm2, %zmm17
	vmovq	-64(%rsp), %xmm2
	vmovaps	%zmm1, %zmm18
	vmovaps	%zmm3, %zmm16
	vmovaps	%zmm4, %zmm15
	vmovq	-56(%rsp), %xmm1
	vmovaps	%zmm5, %zmm14
	vmovaps	%zmm6, %zmm13
	vmovaps	%zmm7, %zmm12
	vmovq	-72(%rsp), %xmm3
	vmovaps	%zmm8, %zmm9
	vmovq	-80(%rsp), %xmm4
	vmovq	-88(%rsp), %xmm5
	vmovq	-96(%rsp), %xmm6
	vmovq	-104(%rsp), %xmm7
	vmovq	-112(%rsp), %xmm8
.L436:
	vmovaps	72(%rsp), %zmm0
	vmovups	%zmm31, (%rdi)
	movq	(%rsp), %rax
	vmovups	%zmm30, 64(%rdi)
	vmovups	%zmm0, 384(%rdi)
	vmovaps	136(%rsp), %zmm0
	vmovups	%zmm29, 128(%rdi)
	vmovups	%zmm0, 448(%rdi)
	vmovaps	200(%rsp), %zmm0
	vmovups	%zmm28, 192(%rdi)
	vmovups	%zmm27, 256(%rdi)
	vmovups	%zmm26, 320(%rdi)
	vmovups	%zmm0, (%r9)
	vmovaps	264(%rsp), %zmm0
	vmovups	%zmm0, (%r15)
	vmovaps	328(%rsp), %zmm0
	vmovups	%zmm0, (%r14)
	vmovaps	392(%rsp), %zmm0
	vmovups	%zmm0, 0(%r13)
	vmovaps	456(%rsp), %zmm0
	vmovups	%zmm0, (%r12)
	vmovaps	520(%rsp), %zmm0
	vmovups	%zmm0, (%rbx)
	vmovaps	584(%rsp), %zmm0
	vmovups	%zmm0, (%r11)
	vmovups	%zmm11, (%rax)
	vmovq	%xmm1, %rax
	vmovups	%zmm25, (%r8)
	vmovups	%zmm24, (%rax)
	vmovq	%xmm2, %rax
	vmovups	%zmm23, (%rax)
	vmovq	%xmm3, %rax
	vmovups	%zmm22, (%rax)
	vmovq	%xmm4, %rax
	vmovups	%zmm21, (%rax)
	vmovq	%xmm5, %rax
	vmovups	%zmm20, (%rax)
	vmovq	%xmm6, %rax
	vmovups	%zmm19, (%rax)
	vmovq	%xmm7, %rax
	vmovups	%zmm10, (%rax)
	vmovq	%xmm8, %rax
	vmovups	%zmm18, (%r10)
	vmovups	%zmm17, (%rax)
	movq	-8(%rsp), %rax
	vmovups	%zmm16, (%rax)
	movq	-16(%rsp), %rax
	vmovups	%zmm15, (%rax)
	movq	-24(%rsp), %rax
	vmovups	%zmm14, (%rax)
	movq	-32(%rsp), %rax
	vmovups	%zmm13, (%rax)
	movq	-40(%rsp), %rax
	vmovups	%zmm12, (%rax)
	movq	-48(%rsp), %rax
	vmovups	%zmm9, (%rax)
	vzeroupper
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE7493:
	.size	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi4ELi8EEEvPflPKfS5_S5_ll, .-_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi4ELi8EEEvPflPKfS5_S5_ll
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_10Bf16EngineELi5ELi4EEEvPKfllS4_Pfb, @function
_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_10Bf16EngineELi5ELi4EEEvPKfllS4_Pfb:
.LFB7495:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsi, %r10
	movq	%rcx, %rax
	movq	%rdx, %rsi
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%rbx
	.cfi_offset 3, -24
	testb	%r9b, %r9b
	je	.L444
	vmovups	(%r8), %zmm24
	vmovups	64(%r8), %zmm23
	vmovups	128(%r8), %zmm22
	vmovups	192(%r8), %zmm21
	vmovups	256(%r8), %zmm20
	vmovups	320(%r8), %zmm19
	vmovups	384(%r8), %zmm18
	vmovups	448(%r8), %zmm17
	vmovups	512(%r8), %zmm16
	vmovups	576(%r8), %zmm15
	vmovups	640(%r8), %zmm14
	vmovups	704(%r8), %zmm13
	vmovups	768(%r8), %zmm12
	vmovups	832(%r8), %zmm11
	vmovups	896(%r8), %zmm10
	vmovups	960(%r8), %zmm9
	vmovups	1024(%r8), %zmm8
	vmovups	1088(%r8), %zmm7
	vmovups	1152(%r8), %zmm6
	vmovups	1216(%r8), %zmm5
.L441:
	testq	%rsi, %rsi
	jle	.L442
	leaq	(%r10,%r10), %r9
	salq	$8, %rsi
	leaq	0(,%r10,4), %r11
	movq	%rdi, %rdx
	leaq	(%r9,%r10), %rbx
	leaq	(%rax,%rsi), %rcx
	.p2align 4,,10
	.p2align 3
.L443:
	vbroadcastss	(%rdx), %zmm4
	vmovups	(%rax), %zmm3
	addq	$256, %rax
	vdpbf16ps	%zmm3, %zmm4, %zmm24
	vmovups	-128(%rax), %zmm1
	vmovups	-64(%rax), %zmm0
	vmovups	-192(%rax), %zmm2
	vdpbf16ps	%zmm1, %zmm4, %zmm22
	vdpbf16ps	%zmm0, %zmm4, %zmm21
	vdpbf16ps	%zmm2, %zmm4, %zmm23
	vbroadcastss	(%rdx,%r10,4), %zmm4
	vdpbf16ps	%zmm3, %zmm4, %zmm20
	vdpbf16ps	%zmm2, %zmm4, %zmm19
	vdpbf16ps	%zmm1, %zmm4, %zmm18
	vdpbf16ps	%zmm0, %zmm4, %zmm17
	vbroadcastss	(%rdx,%r9,4), %zmm4
	vdpbf16ps	%zmm3, %zmm4, %zmm16
	vdpbf16ps	%zmm2, %zmm4, %zmm15
	vdpbf16ps	%zmm1, %zmm4, %zmm14
	vdpbf16ps	%zmm0, %zmm4, %zmm13
	vbroadcastss	(%rdx,%rbx,4), %zmm4
	vdpbf16ps	%zmm3, %zmm4, %zmm12
	vdpbf16ps	%zmm2, %zmm4, %zmm11
	vdpbf16ps	%zmm1, %zmm4, %zmm10
	vdpbf16ps	%zmm0, %zmm4, %zmm9
	vbroadcastss	(%rdx,%r11,4), %zmm4
	addq	$4, %rdx
	vdpbf16ps	%zmm3, %zmm4, %zmm8
	vdpbf16ps	%zmm2, %zmm4, %zmm7
	vdpbf16ps	%zmm1, %zmm4, %zmm6
	vdpbf16ps	%zmm0, %zmm4, %zmm5
	cmpq	%rax, %rcx
	jne	.L443
.L442:
	vmovups	%zmm24, (%r8)
	vmovups	%zmm23, 64(%r8)
	vmovups	%zmm22, 128(%r8)
	vmovups	%zmm21, 192(%r8)
	vmovups	%zmm20, 256(%r8)
	vmovups	%zmm19, 320(%r8)
	vmovups	%zmm18, 384(%r8)
	vmovups	%zmm17, 448(%r8)
	vmovups	%zmm16, 512(%r8)
	vmovups	%zmm15, 576(%r8)
	vmovups	%zmm14, 640(%r8)
	vmovups	%zmm13, 704(%r8)
	vmovups	%zmm12, 768(%r8)
	vmovups	%zmm11, 832(%r8)
	vmovups	%zmm10, 896(%r8)
	vmovups	%zmm9, 960(%r8)
	vmovups	%zmm8, 1024(%r8)
	vmovups	%zmm7, 1088(%r8)
	vmovups	%zmm6, 1152(%r8)
	vmovups	%zmm5, 1216(%r8)
	vzeroupper
	movq	-8(%rbp), %rbx
	leave
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L444:
	.cfi_restore_state
	vxorps	%xmm6, %xmm6, %xmm6
	vmovaps	%zmm6, %zmm7
	vmovaps	%zmm6, %zmm8
	vmovaps	%zmm6, %zmm9
	vmovaps	%zmm6, %zmm10
	vmovaps	%zmm6, %zmm11
	vmovaps	%zmm6, %zmm12
	vmovaps	%zmm6, %zmm13
	vmovaps	%zmm6, %zmm14
	vmovaps	%zmm6, %zmm15
	vmovaps	%zmm6, %zmm16
	vmovaps	%zmm6, %zmm17
	vmovaps	%zmm6, %zmm18
	vmovaps	%zmm6, %zmm19
	vmovaps	%zmm6, %zmm20
	vmovaps	%zmm6, %zmm21
	vmovaps	%zmm6, %zmm22
	vmovaps	%zmm6, %zmm23
	vmovaps	%zmm6, %zmm24
	vmovaps	%zmm6, %zmm5
	jmp	.L441
	.cfi_endproc
.LFE7495:
	.size	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_10Bf16EngineELi5ELi4EEEvPKfllS4_Pfb, .-_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_10Bf16EngineELi5ELi4EEEvPKfllS4_Pfb
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi5ELi4EEEvPflPKfS5_S5_ll, @function
_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi5ELi4EEEvPflPKfS5_S5_ll:
.LFB7497:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsi, %rax
	movq	%rdx, %rsi
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	movq	%rcx, -16(%rsp)
	leaq	(%rax,%rax,2), %rcx
	vbroadcastss	(%rdx), %zmm9
	leaq	0(,%rax,4), %rdx
	movq	%r8, -24(%rsp)
	leaq	64(,%rcx,4), %r11
	leaq	64(%rdi,%rdx), %rbx
	leaq	(%rdi,%rdx), %r10
	vbroadcastss	4(%rsi), %zmm8
	movq	%r9, -32(%rsp)
	vmulps	(%rbx), %zmm8, %zmm20
	leaq	0(,%rax,8), %r8
	leaq	(%r10,%rdx), %r9
	vbroadcastss	12(%rsi), %zmm6
	vmovq	%rbx, %xmm1
	leaq	128(%rdi,%rdx), %rbx
	leaq	192(%rdi,%rcx,4), %rcx
	salq	$4, %rax
	vmulps	(%rbx), %zmm8, %zmm19
	leaq	64(%rdi,%r8), %r14
	leaq	128(%rdi,%r8), %r13
	vbroadcastss	8(%rsi), %zmm7
	leaq	192(%rdi,%r8), %r12
	vmovq	%rbx, %xmm0
	leaq	(%r9,%rdx), %r8
	leaq	(%rdi,%r11), %rbx
	leaq	64(%rdi,%r11), %r11
	vmulps	(%r8), %zmm6, %zmm15
	vmulps	(%rbx), %zmm6, %zmm14
	leaq	192(%rdi,%rdx), %r15
	vmovq	%rcx, %xmm2
	vmulps	(%r11), %zmm6, %zmm13
	vmulps	(%rcx), %zmm6, %zmm6
	leaq	(%r8,%rdx), %rcx
	vmulps	(%rdi), %zmm9, %zmm24
	movq	%rcx, -8(%rsp)
	vmulps	64(%rdi), %zmm9, %zmm23
	vmulps	128(%rdi), %zmm9, %zmm22
	vmulps	(%r10), %zmm8, %zmm21
	vmulps	(%r9), %zmm7, %zmm18
	vmulps	(%r14), %zmm7, %zmm17
	vmulps	0(%r13), %zmm7, %zmm16
	vmulps	192(%rdi), %zmm9, %zmm9
	vmulps	(%r15), %zmm8, %zmm8
	vmulps	(%r12), %zmm7, %zmm7
	vbroadcastss	16(%rsi), %zmm5
	leaq	64(%rdi,%rax), %rsi
	vmulps	(%rsi), %zmm5, %zmm11
	vmovq	%rsi, %xmm3
	cmpq	$0, 16(%rbp)
	leaq	128(%rdi,%rax), %rsi
	leaq	192(%rdi,%rax), %rax
	vmulps	(%rcx), %zmm5, %zmm12
	vmulps	(%rsi), %zmm5, %zmm10
	vmovq	%rsi, %xmm25
	vmovq	%rax, %xmm26
	vmulps	(%rax), %zmm5, %zmm5
	jle	.L448
	movq	-32(%rsp), %rsi
	movq	-16(%rsp), %rax
	vmovdqa64	%xmm1, %xmm27
	vmovdqa64	%xmm0, %xmm28
	movq	16(%rbp), %rcx
	movq	-24(%rsp), %rdx
	vmovdqa64	%xmm2, %xmm29
	vmovdqa64	%xmm3, %xmm30
	salq	$2, %rsi
	leaq	(%rax,%rcx,4), %rcx
	.p2align 4,,10
	.p2align 3
.L449:
	vbroadcastss	(%rax), %zmm4
	vmovups	(%rdx), %zmm3
	addq	$4, %rax
	vdpbf16ps	%zmm3, %zmm4, %zmm24
	vmovups	64(%rdx), %zmm2
	vmovups	128(%rdx), %zmm1
	vmovups	192(%rdx), %zmm0
	addq	%rsi, %rdx
	vdpbf16ps	%zmm2, %zmm4, %zmm23
	vdpbf16ps	%zmm1, %zmm4, %zmm22
	vdpbf16ps	%zmm0, %zmm4, %zmm9
	vbroadcastss	252(%rax), %zmm4
	vdpbf16ps	%zmm3, %zmm4, %zmm21
	vdpbf16ps	%zmm2, %zmm4, %zmm20
	vdpbf16ps	%zmm1, %zmm4, %zmm19
	vdpbf16ps	%zmm0, %zmm4, %zmm8
	vbroadcastss	508(%rax), %zmm4
	vdpbf16ps	%zmm3, %zmm4, %zmm18
	vdpbf16ps	%zmm2, %zmm4, %zmm17
	vdpbf16ps	%zmm1, %zmm4, %zmm16
	vdpbf16ps	%zmm0, %zmm4, %zmm7
	vbroadcastss	764(%rax), %zmm4
	vdpbf16ps	%zmm3, %zmm4, %zmm15
	vdpbf16ps	%zmm2, %zmm4, %zmm14
	vdpbf16ps	%zmm1, %zmm4, %zmm13
	vdpbf16ps	%zmm0, %zmm4, %zmm6
	vbroadcastss	1020(%rax), %zmm4
	vdpbf16ps	%zmm3, %zmm4, %zmm12
	vdpbf16ps	%zmm2, %zmm4, %zmm11
	vdpbf16ps	%zmm1, %zmm4, %zmm10
	vdpbf16ps	%zmm0, %zmm4, %zmm5
	cmpq	%rax, %rcx
	jne	.L449
	vmovdqa64	%xmm27, %xmm1
	vmovdqa64	%xmm28, %xmm0
	vmovdqa64	%xmm29, %xmm2
	vmovdqa64	%xmm30, %xmm3
.L448:
	vmovq	%xmm1, %rax
	vmovups	%zmm24, (%rdi)
	vmovups	%zmm23, 64(%rdi)
	vmovups	%zmm22, 128(%rdi)
	vmovups	%zmm9, 192(%rdi)
	vmovups	%zmm21, (%r10)
	vmovups	%zmm20, (%rax)
	vmovq	%xmm0, %rax
	vmovups	%zmm19, (%rax)
	vmovq	%xmm2, %rax
	vmovups	%zmm8, (%r15)
	vmovups	%zmm18, (%r9)
	vmovups	%zmm17, (%r14)
	vmovups	%zmm16, 0(%r13)
	vmovups	%zmm7, (%r12)
	vmovups	%zmm15, (%r8)
	vmovups	%zmm14, (%rbx)
	vmovups	%zmm13, (%r11)
	vmovups	%zmm6, (%rax)
	movq	-8(%rsp), %rax
	vmovups	%zmm12, (%rax)
	vmovq	%xmm3, %rax
	vmovups	%zmm11, (%rax)
	vmovq	%xmm25, %rax
	vmovups	%zmm10, (%rax)
	vmovq	%xmm26, %rax
	vmovups	%zmm5, (%rax)
	vzeroupper
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE7497:
	.size	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi5ELi4EEEvPflPKfS5_S5_ll, .-_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi5ELi4EEEvPflPKfS5_S5_ll
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_10Bf16EngineELi6ELi4EEEvPKfllS4_Pfb, @function
_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_10Bf16EngineELi6ELi4EEEvPKfllS4_Pfb:
.LFB7499:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rdi, %rax
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%rbx
	.cfi_offset 3, -24
	testb	%r9b, %r9b
	je	.L456
	vmovups	(%r8), %zmm28
	vmovups	64(%r8), %zmm27
	vmovups	128(%r8), %zmm26
	vmovups	192(%r8), %zmm25
	vmovups	256(%r8), %zmm24
	vmovups	320(%r8), %zmm23
	vmovups	384(%r8), %zmm22
	vmovups	448(%r8), %zmm21
	vmovups	512(%r8), %zmm20
	vmovups	576(%r8), %zmm19
	vmovups	640(%r8), %zmm18
	vmovups	704(%r8), %zmm17
	vmovups	768(%r8), %zmm16
	vmovups	832(%r8), %zmm15
	vmovups	896(%r8), %zmm14
	vmovups	960(%r8), %zmm13
	vmovups	1024(%r8), %zmm12
	vmovups	1088(%r8), %zmm11
	vmovups	1152(%r8), %zmm10
	vmovups	1216(%r8), %zmm9
	vmovups	1280(%r8), %zmm8
	vmovups	1344(%r8), %zmm7
	vmovups	1408(%r8), %zmm6
	vmovups	1472(%r8), %zmm5
.L453:
	testq	%rsi, %rsi
	jle	.L454
	leaq	(%rdi,%rdi), %r10
	leaq	0(,%rdi,4), %r9
	salq	$8, %rsi
	movq	%rcx, %rdx
	leaq	(%r10,%rdi), %rbx
	leaq	(%r9,%rdi), %r11
	leaq	(%rcx,%rsi), %rcx
	.p2align 4,,10
	.p2align 3
.L455:
	vbroadcastss	(%rax), %zmm4
	vmovups	(%rdx), %zmm3
	addq	$256, %rdx
	vdpbf16ps	%zmm3, %zmm4, %zmm28
	vmovups	-128(%rdx), %zmm1
	vmovups	-64(%rdx), %zmm0
	vmovups	-192(%rdx), %zmm2
	vdpbf16ps	%zmm1, %zmm4, %zmm26
	vdpbf16ps	%zmm0, %zmm4, %zmm25
	vdpbf16ps	%zmm2, %zmm4, %zmm27
	vbroadcastss	(%rax,%rdi,4), %zmm4
	vdpbf16ps	%zmm3, %zmm4, %zmm24
	vdpbf16ps	%zmm2, %zmm4, %zmm23
	vdpbf16ps	%zmm1, %zmm4, %zmm22
	vdpbf16ps	%zmm0, %zmm4, %zmm21
	vbroadcastss	(%rax,%r10,4), %zmm4
	vdpbf16ps	%zmm3, %zmm4, %zmm20
	vdpbf16ps	%zmm2, %zmm4, %zmm19
	vdpbf16ps	%zmm1, %zmm4, %zmm18
	vdpbf16ps	%zmm0, %zmm4, %zmm17
	vbroadcastss	(%rax,%rbx,4), %zmm4
	vdpbf16ps	%zmm3, %zmm4, %zmm16
	vdpbf16ps	%zmm2, %zmm4, %zmm15
	vdpbf16ps	%zmm1, %zmm4, %zmm14
	vdpbf16ps	%zmm0, %zmm4, %zmm13
	vbroadcastss	(%rax,%r9,4), %zmm4
	vdpbf16ps	%zmm3, %zmm4, %zmm12
	vdpbf16ps	%zmm2, %zmm4, %zmm11
	vdpbf16ps	%zmm1, %zmm4, %zmm10
	vdpbf16ps	%zmm0, %zmm4, %zmm9
	vbroadcastss	(%rax,%r11,4), %zmm4
	addq	$4, %rax
	vdpbf16ps	%zmm3, %zmm4, %zmm8
	vdpbf16ps	%zmm2, %zmm4, %zmm7
	vdpbf16ps	%zmm1, %zmm4, %zmm6
	vdpbf16ps	%zmm0, %zmm4, %zmm5
	cmpq	%rdx, %rcx
	jne	.L455
.L454:
	vmovups	%zmm28, (%r8)
	vmovups	%zmm27, 64(%r8)
	vmovups	%zmm26, 128(%r8)
	vmovups	%zmm25, 192(%r8)
	vmovups	%zmm24, 256(%r8)
	vmovups	%zmm23, 320(%r8)
	vmovups	%zmm22, 384(%r8)
	vmovups	%zmm21, 448(%r8)
	vmovups	%zmm20, 512(%r8)
	vmovups	%zmm19, 576(%r8)
	vmovups	%zmm18, 640(%r8)
	vmovups	%zmm17, 704(%r8)
	vmovups	%zmm16, 768(%r8)
	vmovups	%zmm15, 832(%r8)
	vmovups	%zmm14, 896(%r8)
	vmovups	%zmm13, 960(%r8)
	vmovups	%zmm12, 1024(%r8)
	vmovups	%zmm11, 1088(%r8)
	vmovups	%zmm10, 1152(%r8)
	vmovups	%zmm9, 1216(%r8)
	vmovups	%zmm8, 1280(%r8)
	vmovups	%zmm7, 1344(%r8)
	vmovups	%zmm6, 1408(%r8)
	vmovups	%zmm5, 1472(%r8)
	vzeroupper
	movq	-8(%rbp), %rbx
	leave
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L456:
	.cfi_restore_state
	vxorps	%xmm6, %xmm6, %xmm6
	vmovaps	%zmm6, %zmm7
	vmovaps	%zmm6, %zmm8
	vmovaps	%zmm6, %zmm9
	vmovaps	%zmm6, %zmm10
	vmovaps	%zmm6, %zmm11
	vmovaps	%zmm6, %zmm12
	vmovaps	%zmm6, %zmm13
	vmovaps	%zmm6, %zmm14
	vmovaps	%zmm6, %zmm15
	vmovaps	%zmm6, %zmm16
	vmovaps	%zmm6, %zmm17
	vmovaps	%zmm6, %zmm18
	vmovaps	%zmm6, %zmm19
	vmovaps	%zmm6, %zmm20
	vmovaps	%zmm6, %zmm21
	vmovaps	%zmm6, %zmm22
	vmovaps	%zmm6, %zmm23
	vmovaps	%zmm6, %zmm24
	vmovaps	%zmm6, %zmm25
	vmovaps	%zmm6, %zmm26
	vmovaps	%zmm6, %zmm27
	vmovaps	%zmm6, %zmm28
	vmovaps	%zmm6, %zmm5
	jmp	.L453
	.cfi_endproc
.LFE7499:
	.size	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_10Bf16EngineELi6ELi4EEEvPKfllS4_Pfb, .-_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_10Bf16EngineELi6ELi4EEEvPKfllS4_Pfb
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi6ELi4EEEvPflPKfS5_S5_ll, @function
_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi6ELi4EEEvPflPKfS5_S5_ll:
.LFB7501:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsi, %rax
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	.cfi_offset 15, -24
	movq	%rdx, %r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	movq	%rcx, -40(%rsp)
	leaq	0(,%rsi,4), %rcx
	vbroadcastss	(%rdx), %zmm10
	leaq	(%rdi,%rcx), %r10
	vbroadcastss	4(%rdx), %zmm9
	leaq	0(,%rsi,8), %rdx
	movq	%r9, -56(%rsp)
	vbroadcastss	8(%r15), %zmm8
	leaq	(%r10,%rcx), %r9
	leaq	128(%rdi,%rdx), %rsi
	vmulps	(%rsi), %zmm8, %zmm20
	leaq	64(%rdi,%rdx), %rbx
	movq	%r8, -48(%rsp)
	vmovq	%rsi, %xmm4
	vmulps	(%r9), %zmm8, %zmm22
	leaq	(%r9,%rcx), %r8
	leaq	192(%rdi,%rdx), %rsi
	vbroadcastss	12(%r15), %zmm7
	leaq	(%rax,%rax,2), %rdx
	vmulps	(%rbx), %zmm8, %zmm21
	vmovq	%rsi, %xmm0
	vbroadcastss	16(%r15), %zmm6
	vmulps	(%rsi), %zmm8, %zmm8
	leaq	64(,%rdx,4), %rsi
	leaq	64(%rdi,%rcx), %r14
	leaq	(%rdi,%rsi), %r11
	leaq	64(%rdi,%rsi), %rsi
	vmulps	(%r8), %zmm7, %zmm19
	vmulps	(%rsi), %zmm7, %zmm17
	vmovq	%rsi, %xmm2
	leaq	192(%rdi,%rdx,4), %rsi
	movq	%rax, %rdx
	leaq	16(%rcx,%rax), %rax
	salq	$4, %rdx
	leaq	128(%rdi,%rcx), %r13
	salq	$2, %rax
	leaq	192(%rdi,%rcx), %r12
	vmovq	%rsi, %xmm3
	vmulps	(%r11), %zmm7, %zmm18
	vmovq	%r11, %xmm1
	leaq	64(%rdi,%rdx), %r11
	vmulps	(%rsi), %zmm7, %zmm7
	leaq	(%r8,%rcx), %rsi
	vmovq	%r11, %xmm29
	vmulps	(%rdi), %zmm10, %zmm28
	vmulps	64(%rdi), %zmm10, %zmm27
	vmulps	128(%rdi), %zmm10, %zmm26
	vmulps	(%r10), %zmm9, %zmm25
	vmulps	(%r14), %zmm9, %zmm24
	vmulps	0(%r13), %zmm9, %zmm23
	vmulps	192(%rdi), %zmm10, %zmm10
	vmulps	(%r12), %zmm9, %zmm9
	vmulps	(%rsi), %zmm6, %zmm16
	vbroadcastss	20(%r15), %zmm5
	leaq	(%rdi,%rax), %r15
	vmulps	(%r11), %zmm6, %zmm15
	cmpq	$0, 16(%rbp)
	movq	%r15, -16(%rsp)
	leaq	128(%rdi,%rdx), %r11
	vmulps	(%r15), %zmm5, %zmm12
	leaq	64(%rdi,%rax), %r15
	vmovq	%r11, %xmm30
	vmulps	(%r11), %zmm6, %zmm14
	movq	%r15, -24(%rsp)
	leaq	192(%rdi,%rdx), %r11
	leaq	(%rsi,%rcx), %rdx
	vmulps	(%r15), %zmm5, %zmm11
	movq	%rdx, -8(%rsp)
	leaq	128(%rdi,%rax), %r15
	vmovq	%r11, %xmm31
	vmulps	(%rdx), %zmm5, %zmm13
	movq	%r15, -32(%rsp)
	vmulps	(%r11), %zmm6, %zmm6
	vmulps	(%r15), %zmm5, %zmm5
	jle	.L460
	movq	-56(%rsp), %r15
	movq	-40(%rsp), %rax
	vmovq	%xmm2, -56(%rsp)
	movq	16(%rbp), %r11
	movq	-48(%rsp), %rdx
	vmovq	%xmm0, -40(%rsp)
	salq	$2, %r15
	vmovq	%xmm1, -48(%rsp)
	movq	%r15, %rcx
	vmovq	%xmm3, -64(%rsp)
	leaq	(%rax,%r11,4), %r15
	vmovq	%xmm4, %r11
	.p2align 4,,10
	.p2align 3
.L461:
	vbroadcastss	(%rax), %zmm4
	vmovups	(%rdx), %zmm3
	addq	$4, %rax
	vdpbf16ps	%zmm3, %zmm4, %zmm28
	vmovups	64(%rdx), %zmm2
	vmovups	128(%rdx), %zmm1
	vmovups	192(%rdx), %zmm0
	addq	%rcx, %rdx
	vdpbf16ps	%zmm2, %zmm4, %zmm27
	vdpbf16ps	%zmm1, %zmm4, %zmm26
	vdpbf16ps	%zmm0, %zmm4, %zmm10
	vbroadcastss	252(%rax), %zmm4
	vdpbf16ps	%zmm3, %zmm4, %zmm25
	vdpbf16ps	%zmm2, %zmm4, %zmm24
	vdpbf16ps	%zmm1, %zmm4, %zmm23
	vdpbf16ps	%zmm0, %zmm4, %zmm9
	vbroadcastss	508(%rax), %zmm4
	vdpbf16ps	%zmm3, %zmm4, %zmm22
	vdpbf16ps	%zmm2, %zmm4, %zmm21
	vdpbf16ps	%zmm1, %zmm4, %zmm20
	vdpbf16ps	%zmm0, %zmm4, %zmm8
	vbroadcastss	764(%rax), %zmm4
	vdpbf16ps	%zmm3, %zmm4, %zmm19
	vdpbf16ps	%zmm2, %zmm4, %zmm18
	vdpbf16ps	%zmm1, %zmm4, %zmm17
	vdpbf16ps	%zmm0, %zmm4, %zmm7
	vbroadcastss	1020(%rax), %zmm4
	vdpbf16ps	%zmm3, %zmm4, %zmm16
	vdpbf16ps	%zmm2, %zmm4, %zmm15
	vdpbf16ps	%zmm1, %zmm4, %zmm14
	vdpbf16ps	%zmm0, %zmm4, %zmm6
	vbroadcastss	1276(%rax), %zmm4
	vdpbf16ps	%zmm3, %zmm4, %zmm13
	vdpbf16ps	%zmm2, %zmm4, %zmm12
	vdpbf16ps	%zmm1, %zmm4, %zmm11
	vdpbf16ps	%zmm0, %zmm4, %zmm5
	cmpq	%rax, %r15
	jne	.L461
	vmovq	-40(%rsp), %xmm0
	vmovq	-48(%rsp), %xmm1
	vmovq	%r11, %xmm4
	vmovq	-56(%rsp), %xmm2
	vmovq	-64(%rsp), %xmm3
.L460:
	vmovq	%xmm4, %rax
	vmovups	%zmm28, (%rdi)
	vmovups	%zmm27, 64(%rdi)
	vmovups	%zmm26, 128(%rdi)
	vmovups	%zmm10, 192(%rdi)
	vmovups	%zmm25, (%r10)
	vmovups	%zmm24, (%r14)
	vmovups	%zmm23, 0(%r13)
	vmovups	%zmm9, (%r12)
	vmovups	%zmm22, (%r9)
	vmovups	%zmm21, (%rbx)
	vmovups	%zmm20, (%rax)
	vmovq	%xmm0, %rax
	vmovups	%zmm8, (%rax)
	vmovq	%xmm1, %rax
	vmovups	%zmm19, (%r8)
	vmovups	%zmm18, (%rax)
	vmovq	%xmm2, %rax
	vmovups	%zmm17, (%rax)
	vmovq	%xmm3, %rax
	vmovups	%zmm7, (%rax)
	vmovq	%xmm29, %rax
	vmovups	%zmm16, (%rsi)
	vmovups	%zmm15, (%rax)
	vmovq	%xmm30, %rax
	vmovups	%zmm14, (%rax)
	vmovq	%xmm31, %rax
	vmovups	%zmm6, (%rax)
	movq	-8(%rsp), %rax
	vmovups	%zmm13, (%rax)
	movq	-16(%rsp), %rax
	vmovups	%zmm12, (%rax)
	movq	-24(%rsp), %rax
	vmovups	%zmm11, (%rax)
	movq	-32(%rsp), %rax
	vmovups	%zmm5, (%rax)
	vzeroupper
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE7501:
	.size	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi6ELi4EEEvPflPKfS5_S5_ll, .-_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi6ELi4EEEvPflPKfS5_S5_ll
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi3ELi4EEEvPflPKfS5_S5_ll, @function
_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi3ELi4EEEvPflPKfS5_S5_ll:
.LFB7560:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsi, %r10
	movq	%rcx, %rax
	leaq	0(,%rsi,4), %rcx
	salq	$3, %r10
	leaq	(%rdi,%rcx), %rsi
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	.cfi_offset 15, -24
	leaq	64(%rdi,%rcx), %r15
	pushq	%r14
	.cfi_offset 14, -32
	leaq	128(%rdi,%rcx), %r14
	pushq	%r13
	.cfi_offset 13, -40
	leaq	192(%rdi,%rcx), %r13
	addq	%rsi, %rcx
	pushq	%r12
	.cfi_offset 12, -48
	leaq	64(%rdi,%r10), %r12
	pushq	%rbx
	.cfi_offset 3, -56
	movq	16(%rbp), %r11
	leaq	128(%rdi,%r10), %rbx
	leaq	192(%rdi,%r10), %r10
	vbroadcastss	(%rdx), %zmm7
	vbroadcastss	4(%rdx), %zmm6
	vbroadcastss	8(%rdx), %zmm5
	vmulps	(%rdi), %zmm7, %zmm16
	vmulps	64(%rdi), %zmm7, %zmm15
	vmulps	128(%rdi), %zmm7, %zmm14
	vmulps	(%rsi), %zmm6, %zmm13
	vmulps	(%r15), %zmm6, %zmm12
	vmulps	(%r14), %zmm6, %zmm11
	vmulps	(%rcx), %zmm5, %zmm10
	vmulps	(%r12), %zmm5, %zmm9
	vmulps	(%rbx), %zmm5, %zmm8
	vmulps	192(%rdi), %zmm7, %zmm7
	vmulps	0(%r13), %zmm6, %zmm6
	vmulps	(%r10), %zmm5, %zmm5
	testq	%r11, %r11
	jle	.L465
	salq	$2, %r9
	leaq	(%rax,%r11,4), %rdx
	.p2align 4,,10
	.p2align 3
.L466:
	vbroadcastss	(%rax), %zmm4
	vmovups	(%r8), %zmm3
	addq	$4, %rax
	vdpbf16ps	%zmm3, %zmm4, %zmm16
	vmovups	64(%r8), %zmm2
	vmovups	128(%r8), %zmm1
	vmovups	192(%r8), %zmm0
	addq	%r9, %r8
	vdpbf16ps	%zmm2, %zmm4, %zmm15
	vdpbf16ps	%zmm1, %zmm4, %zmm14
	vdpbf16ps	%zmm0, %zmm4, %zmm7
	vbroadcastss	252(%rax), %zmm4
	vdpbf16ps	%zmm3, %zmm4, %zmm13
	vdpbf16ps	%zmm2, %zmm4, %zmm12
	vdpbf16ps	%zmm1, %zmm4, %zmm11
	vdpbf16ps	%zmm0, %zmm4, %zmm6
	vbroadcastss	508(%rax), %zmm4
	vdpbf16ps	%zmm3, %zmm4, %zmm10
	vdpbf16ps	%zmm2, %zmm4, %zmm9
	vdpbf16ps	%zmm1, %zmm4, %zmm8
	vdpbf16ps	%zmm0, %zmm4, %zmm5
	cmpq	%rax, %rdx
	jne	.L466
.L465:
	vmovups	%zmm16, (%rdi)
	vmovups	%zmm15, 64(%rdi)
	vmovups	%zmm14, 128(%rdi)
	vmovups	%zmm7, 192(%rdi)
	vmovups	%zmm13, (%rsi)
	vmovups	%zmm12, (%r15)
	vmovups	%zmm11, (%r14)
	vmovups	%zmm6, 0(%r13)
	vmovups	%zmm10, (%rcx)
	vmovups	%zmm9, (%r12)
	vmovups	%zmm8, (%rbx)
	vmovups	%zmm5, (%r10)
	vzeroupper
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE7560:
	.size	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi3ELi4EEEvPflPKfS5_S5_ll, .-_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi3ELi4EEEvPflPKfS5_S5_ll
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi4ELi4EEEvPflPKfS5_S5_ll, @function
_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi4ELi4EEEvPflPKfS5_S5_ll:
.LFB7562:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rcx, %rax
	leaq	0(,%rsi,4), %rcx
	leaq	0(,%rsi,8), %r10
	leaq	128(%rdi,%rcx), %r11
	leaq	(%rsi,%rsi,2), %rsi
	vmovq	%r11, %xmm1
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	.cfi_offset 15, -24
	leaq	192(%rdi,%rcx), %r15
	pushq	%r14
	.cfi_offset 14, -32
	leaq	64(%rdi,%rcx), %r14
	vmovq	%r15, %xmm0
	pushq	%r13
	vmovq	%r14, %xmm2
	.cfi_offset 13, -40
	leaq	192(%rdi,%r10), %r13
	pushq	%r12
	.cfi_offset 12, -48
	leaq	192(%rdi,%rsi,4), %r12
	pushq	%rbx
	.cfi_offset 3, -56
	leaq	(%rdi,%rcx), %rbx
	andq	$-64, %rsp
	movq	%r8, -8(%rsp)
	vbroadcastss	(%rdx), %zmm8
	vbroadcastss	4(%rdx), %zmm7
	movq	%r9, -16(%rsp)
	vbroadcastss	8(%rdx), %zmm6
	vbroadcastss	12(%rdx), %zmm5
	leaq	64(,%rsi,4), %rdx
	vmulps	(%r11), %zmm7, %zmm15
	leaq	(%rbx,%rcx), %r11
	leaq	(%rdi,%rdx), %r9
	cmpq	$0, 16(%rbp)
	vmulps	(%r14), %zmm7, %zmm16
	leaq	64(%rdi,%rdx), %r8
	leaq	128(%rdi,%r10), %r14
	vmulps	(%rbx), %zmm7, %zmm17
	vmulps	(%r15), %zmm7, %zmm7
	leaq	64(%rdi,%r10), %r15
	leaq	(%r11,%rcx), %r10
	vmulps	(%rdi), %zmm8, %zmm20
	vmulps	64(%rdi), %zmm8, %zmm19
	vmulps	128(%rdi), %zmm8, %zmm18
	vmulps	(%r11), %zmm6, %zmm14
	vmulps	(%r15), %zmm6, %zmm13
	vmulps	(%r14), %zmm6, %zmm12
	vmulps	(%r10), %zmm5, %zmm11
	vmulps	(%r9), %zmm5, %zmm10
	vmulps	(%r8), %zmm5, %zmm9
	vmulps	192(%rdi), %zmm8, %zmm8
	vmulps	0(%r13), %zmm6, %zmm6
	vmulps	(%r12), %zmm5, %zmm5
	jle	.L470
	movq	-16(%rsp), %rsi
	movq	16(%rbp), %rcx
	vmovdqa64	%xmm2, %xmm21
	vmovdqa64	%xmm1, %xmm22
	movq	-8(%rsp), %rdx
	vmovdqa64	%xmm0, %xmm23
	salq	$2, %rsi
	leaq	(%rax,%rcx,4), %rcx
	.p2align 4,,10
	.p2align 3
.L471:
	vbroadcastss	(%rax), %zmm4
	vmovups	(%rdx), %zmm3
	addq	$4, %rax
	vdpbf16ps	%zmm3, %zmm4, %zmm20
	vmovups	64(%rdx), %zmm2
	vmovups	128(%rdx), %zmm1
	vmovups	192(%rdx), %zmm0
	addq	%rsi, %rdx
	vdpbf16ps	%zmm2, %zmm4, %zmm19
	vdpbf16ps	%zmm1, %zmm4, %zmm18
	vdpbf16ps	%zmm0, %zmm4, %zmm8
	vbroadcastss	252(%rax), %zmm4
	vdpbf16ps	%zmm3, %zmm4, %zmm17
	vdpbf16ps	%zmm2, %zmm4, %zmm16
	vdpbf16ps	%zmm1, %zmm4, %zmm15
	vdpbf16ps	%zmm0, %zmm4, %zmm7
	vbroadcastss	508(%rax), %zmm4
	vdpbf16ps	%zmm3, %zmm4, %zmm14
	vdpbf16ps	%zmm2, %zmm4, %zmm13
	vdpbf16ps	%zmm1, %zmm4, %zmm12
	vdpbf16ps	%zmm0, %zmm4, %zmm6
	vbroadcastss	764(%rax), %zmm4
	vdpbf16ps	%zmm3, %zmm4, %zmm11
	vdpbf16ps	%zmm2, %zmm4, %zmm10
	vdpbf16ps	%zmm1, %zmm4, %zmm9
	vdpbf16ps	%zmm0, %zmm4, %zmm5
	cmpq	%rax, %rcx
	jne	.L471
	vmovdqa64	%xmm21, %xmm2
	vmovdqa64	%xmm22, %xmm1
	vmovdqa64	%xmm23, %xmm0
.L470:
	vmovq	%xmm2, %rax
	vmovups	%zmm20, (%rdi)
	vmovups	%zmm19, 64(%rdi)
	vmovups	%zmm18, 128(%rdi)
	vmovups	%zmm8, 192(%rdi)
	vmovups	%zmm17, (%rbx)
	vmovups	%zmm16, (%rax)
	vmovq	%xmm1, %rax
	vmovups	%zmm15, (%rax)
	vmovq	%xmm0, %rax
	vmovups	%zmm7, (%rax)
	vmovups	%zmm14, (%r11)
	vmovups	%zmm13, (%r15)
	vmovups	%zmm12, (%r14)
	vmovups	%zmm6, 0(%r13)
	vmovups	%zmm11, (%r10)
	vmovups	%zmm10, (%r9)
	vmovups	%zmm9, (%r8)
	vmovups	%zmm5, (%r12)
	vzeroupper
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE7562:
	.size	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi4ELi4EEEvPflPKfS5_S5_ll, .-_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi4ELi4EEEvPflPKfS5_S5_ll
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi6ELi2EEEvPflPKfS5_S5_ll, @function
_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi6ELi2EEEvPflPKfS5_S5_ll:
.LFB7566:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rcx, %rax
	leaq	0(,%rsi,4), %rcx
	movq	%rsi, %r10
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	leaq	(%rdi,%rcx), %r14
	pushq	%r13
	pushq	%r12
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	leaq	(%r14,%rcx), %r12
	pushq	%rbx
	.cfi_offset 3, -56
	leaq	64(%rdi,%rcx), %rbx
	vmovq	%rbx, %xmm16
	andq	$-64, %rsp
	movq	%r9, -16(%rsp)
	leaq	64(%rdi,%rsi,8), %r9
	leaq	16(%rsi,%rsi,2), %rsi
	vbroadcastss	4(%rdx), %zmm7
	movq	%r8, -8(%rsp)
	leaq	(%rdi,%rsi,4), %r8
	movq	%r10, %rsi
	vmulps	(%r14), %zmm7, %zmm13
	vbroadcastss	(%rdx), %zmm8
	salq	$4, %rsi
	vmulps	(%rbx), %zmm7, %zmm7
	leaq	(%r12,%rcx), %rbx
	vbroadcastss	8(%rdx), %zmm6
	leaq	64(%rdi,%rsi), %r13
	vbroadcastss	12(%rdx), %zmm5
	vbroadcastss	16(%rdx), %zmm4
	leaq	(%rbx,%rcx), %r11
	vbroadcastss	20(%rdx), %zmm3
	leaq	16(%rcx,%r10), %rdx
	leaq	(%r11,%rcx), %r15
	cmpq	$0, 16(%rbp)
	leaq	(%rdi,%rdx,4), %r10
	vmulps	(%rdi), %zmm8, %zmm14
	vmulps	(%r12), %zmm6, %zmm12
	vmulps	(%rbx), %zmm5, %zmm11
	vmulps	(%r11), %zmm4, %zmm10
	vmulps	(%r15), %zmm3, %zmm9
	vmulps	64(%rdi), %zmm8, %zmm8
	vmulps	(%r9), %zmm6, %zmm6
	vmulps	(%r8), %zmm5, %zmm5
	vmulps	0(%r13), %zmm4, %zmm4
	vmulps	(%r10), %zmm3, %zmm3
	jle	.L475
	movq	-16(%rsp), %rsi
	movq	16(%rbp), %rcx
	movq	-8(%rsp), %rdx
	salq	$2, %rsi
	leaq	(%rax,%rcx,4), %rcx
	.p2align 4,,10
	.p2align 3
.L476:
	vbroadcastss	(%rax), %zmm2
	vmovups	(%rdx), %zmm1
	addq	$4, %rax
	vdpbf16ps	%zmm1, %zmm2, %zmm14
	vmovups	64(%rdx), %zmm0
	addq	%rsi, %rdx
	vdpbf16ps	%zmm0, %zmm2, %zmm8
	vbroadcastss	252(%rax), %zmm2
	vdpbf16ps	%zmm1, %zmm2, %zmm13
	vdpbf16ps	%zmm0, %zmm2, %zmm7
	vbroadcastss	508(%rax), %zmm2
	vdpbf16ps	%zmm1, %zmm2, %zmm12
	vdpbf16ps	%zmm0, %zmm2, %zmm6
	vbroadcastss	764(%rax), %zmm2
	vdpbf16ps	%zmm1, %zmm2, %zmm11
	vdpbf16ps	%zmm0, %zmm2, %zmm5
	vbroadcastss	1020(%rax), %zmm2
	vdpbf16ps	%zmm1, %zmm2, %zmm10
	vdpbf16ps	%zmm0, %zmm2, %zmm4
	vbroadcastss	1276(%rax), %zmm2
	vdpbf16ps	%zmm1, %zmm2, %zmm9
	vdpbf16ps	%zmm0, %zmm2, %zmm3
	cmpq	%rax, %rcx
	jne	.L476
.L475:
	vmovq	%xmm16, %rax
	vmovups	%zmm14, (%rdi)
	vmovups	%zmm8, 64(%rdi)
	vmovups	%zmm13, (%r14)
	vmovups	%zmm7, (%rax)
	vmovups	%zmm12, (%r12)
	vmovups	%zmm6, (%r9)
	vmovups	%zmm11, (%rbx)
	vmovups	%zmm5, (%r8)
	vmovups	%zmm10, (%r11)
	vmovups	%zmm4, 0(%r13)
	vmovups	%zmm9, (%r15)
	vmovups	%zmm3, (%r10)
	vzeroupper
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE7566:
	.size	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi6ELi2EEEvPflPKfS5_S5_ll, .-_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi6ELi2EEEvPflPKfS5_S5_ll
	.align 2
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE13merge_partialEi, @function
_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE13merge_partialEi:
.LFB7192:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movslq	%esi, %rax
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r12
	pushq	%rbx
	movslq	200(%rdi), %rdx
	.cfi_offset 12, -24
	.cfi_offset 3, -32
	movq	%rdi, %rbx
	movq	192(%rbx), %rcx
	movq	8(%rbx), %r8
	imulq	%rdx, %rax
	movq	%rdx, %rdi
	salq	$2, %rdx
	leaq	2(%rcx), %r9
	movq	32(%r8), %r8
	andq	$-64, %rsp
	imulq	%r9, %rax
	leaq	(%r8,%rax,4), %r12
	testl	%esi, %esi
	jne	.L497
	movq	96(%rbx), %rdi
	movq	%r12, %rsi
	call	memcpy@PLT
	movslq	200(%rbx), %rdx
	movq	104(%rbx), %rdi
	salq	$2, %rdx
	leaq	(%r12,%rdx), %rsi
	call	memcpy@PLT
	movslq	200(%rbx), %rdx
	movq	120(%rbx), %rdi
	movq	%rdx, %rax
	imulq	192(%rbx), %rdx
	leaq	-16(%rbp), %rsp
	addl	%eax, %eax
	popq	%rbx
	cltq
	leaq	(%r12,%rax,4), %rsi
	salq	$2, %rdx
	popq	%r12
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	jmp	memcpy@PLT
	.p2align 4,,10
	.p2align 3
.L497:
	.cfi_restore_state
	leal	(%rdi,%rdi), %r8d
	movslq	%r8d, %r8
	salq	$2, %r8
	testl	%edi, %edi
	jle	.L495
	vmovss	.LC27(%rip), %xmm13
	xorl	%edi, %edi
	leaq	(%r12,%rdx), %r9
	vbroadcastss	.LC29(%rip), %zmm12
	vbroadcastss	.LC31(%rip), %zmm11
	vbroadcastss	.LC33(%rip), %zmm10
	vbroadcastss	.LC35(%rip), %zmm9
	vbroadcastss	.LC37(%rip), %zmm8
	vbroadcastss	.LC39(%rip), %zmm7
	vbroadcastss	.LC41(%rip), %zmm6
	vbroadcastss	.LC43(%rip), %zmm5
	vbroadcastss	.LC45(%rip), %zmm4
	vbroadcastss	.LC47(%rip), %zmm3
	vbroadcastss	.LC49(%rip), %zmm2
	.p2align 4,,10
	.p2align 3
.L481:
	movq	104(%rbx), %r11
	leaq	0(,%rdi,4), %rax
	movq	%rdi, %rdx
	vmovss	(%r12,%rdi,4), %xmm0
	imulq	%rcx, %rdx
	vmovss	(%r9,%rdi,4), %xmm15
	movq	120(%rbx), %r10
	addq	%rax, %r11
	addq	96(%rbx), %rax
	vmovss	(%rax), %xmm1
	salq	$2, %rdx
	vmaxss	%xmm0, %xmm1, %xmm14
	leaq	(%r8,%rdx), %rsi
	vucomiss	%xmm14, %xmm13
	ja	.L484
	vsubss	%xmm14, %xmm1, %xmm1
	vsubss	%xmm14, %xmm0, %xmm0
.L484:
	vbroadcastss	%xmm1, %zmm1
	vmovaps	%zmm8, %zmm16
	vbroadcastss	%xmm0, %zmm0
	vmovss	%xmm14, (%rax)
	vmaxps	%zmm1, %zmm12, %zmm1
	vmaxps	%zmm0, %zmm12, %zmm0
	vmulps	%zmm11, %zmm1, %zmm17
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm10, %zmm17, %zmm1
	vfmadd231ps	%zmm9, %zmm17, %zmm1
	vmulps	%zmm1, %zmm1, %zmm18
	vfmadd132ps	%zmm1, %zmm7, %zmm16
	vfmadd132ps	%zmm1, %zmm6, %zmm16
	vfmadd132ps	%zmm1, %zmm5, %zmm16
	vfmadd132ps	%zmm1, %zmm4, %zmm16
	vfmadd132ps	%zmm1, %zmm3, %zmm16
	vfmadd231ps	%zmm18, %zmm16, %zmm1
	vaddps	%zmm2, %zmm1, %zmm1
	vscalefps	%zmm17, %zmm1, %zmm16
	vmulps	%zmm11, %zmm0, %zmm17
	vmovaps	%zmm8, %zmm1
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm10, %zmm17, %zmm0
	vfmadd231ps	%zmm9, %zmm17, %zmm0
	vmulps	%zmm0, %zmm0, %zmm18
	vfmadd132ps	%zmm0, %zmm7, %zmm1
	vfmadd132ps	%zmm0, %zmm6, %zmm1
	vfmadd132ps	%zmm0, %zmm5, %zmm1
	vfmadd132ps	%zmm0, %zmm4, %zmm1
	vfmadd132ps	%zmm0, %zmm3, %zmm1
	vfmadd132ps	%zmm18, %zmm0, %zmm1
	vmulss	(%r11), %xmm16, %xmm0
	vaddps	%zmm2, %zmm1, %zmm1
	vscalefps	%zmm17, %zmm1, %zmm1
	vmulss	%xmm15, %xmm1, %xmm14
	vaddss	%xmm14, %xmm0, %xmm0
	vmovss	%xmm0, (%r11)
	testq	%rcx, %rcx
	jle	.L490
	vbroadcastss	%xmm16, %zmm14
	xorl	%eax, %eax
	addq	%r10, %rdx
	addq	%r12, %rsi
	vbroadcastss	%xmm1, %zmm1
	.p2align 4,,10
	.p2align 3
.L489:
	vmulps	(%rdx,%rax,4), %zmm14, %zmm0
	vfmadd231ps	(%rsi,%rax,4), %zmm1, %zmm0
	vmovups	%zmm0, (%rdx,%rax,4)
	addq	$16, %rax
	cmpq	%rcx, %rax
	jl	.L489
.L490:
	addq	$1, %rdi
	cmpl	%edi, 200(%rbx)
	jle	.L498
	movq	192(%rbx), %rcx
	jmp	.L481
	.p2align 4,,10
	.p2align 3
.L498:
	vzeroupper
.L495:
	leaq	-16(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE7192:
	.size	_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE13merge_partialEi, .-_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE13merge_partialEi
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_19transposeEPDv16_f, @function
_ZN10torchpaged12_GLOBAL__N_19transposeEPDv16_f:
.LFB6451:
	.cfi_startproc
	vmovdqa32	128(%rdi), %zmm3
	vmovdqa32	(%rdi), %zmm5
	vpunpckldq	192(%rdi), %zmm3, %zmm12
	vpunpckldq	64(%rdi), %zmm5, %zmm2
	vpunpckhdq	64(%rdi), %zmm5, %zmm0
	vpunpckhdq	192(%rdi), %zmm3, %zmm7
	vmovdqa32	384(%rdi), %zmm6
	vmovdqa32	256(%rdi), %zmm3
	vpunpckldq	448(%rdi), %zmm6, %zmm10
	vpunpckldq	320(%rdi), %zmm3, %zmm9
	vpunpckhdq	320(%rdi), %zmm3, %zmm14
	vpunpckhdq	448(%rdi), %zmm6, %zmm5
	vmovdqa32	512(%rdi), %zmm3
	vpunpcklqdq	%zmm10, %zmm9, %zmm17
	vpunpckhdq	576(%rdi), %zmm3, %zmm1
	vpunpckhqdq	%zmm10, %zmm9, %zmm9
	vmovdqa32	640(%rdi), %zmm3
	vpunpcklqdq	%zmm5, %zmm14, %zmm15
	vpunpckldq	704(%rdi), %zmm3, %zmm16
	vpunpckhqdq	%zmm5, %zmm14, %zmm14
	vpunpckhdq	704(%rdi), %zmm3, %zmm13
	vmovdqa32	896(%rdi), %zmm4
	vmovdqa32	768(%rdi), %zmm3
	vpunpckldq	960(%rdi), %zmm4, %zmm18
	vpunpckldq	832(%rdi), %zmm3, %zmm8
	vpunpckhqdq	%zmm13, %zmm1, %zmm5
	vmovdqa32	512(%rdi), %zmm6
	vpunpckldq	576(%rdi), %zmm6, %zmm6
	vpunpckhdq	960(%rdi), %zmm4, %zmm11
	vpunpcklqdq	%zmm12, %zmm2, %zmm4
	vpunpckhdq	832(%rdi), %zmm3, %zmm3
	vpunpckhqdq	%zmm12, %zmm2, %zmm2
	vpunpcklqdq	%zmm7, %zmm0, %zmm12
	vpunpcklqdq	%zmm16, %zmm6, %zmm10
	vpunpckhqdq	%zmm16, %zmm6, %zmm6
	vpunpcklqdq	%zmm18, %zmm8, %zmm16
	vpunpckhqdq	%zmm7, %zmm0, %zmm0
	vpunpcklqdq	%zmm13, %zmm1, %zmm7
	vpunpcklqdq	%zmm11, %zmm3, %zmm13
	vshufi32x4	$136, %zmm17, %zmm4, %zmm1
	vpunpckhqdq	%zmm11, %zmm3, %zmm3
	vshufi32x4	$136, %zmm16, %zmm10, %zmm11
	vpunpckhqdq	%zmm18, %zmm8, %zmm8
	vshufi32x4	$221, %zmm16, %zmm10, %zmm10
	vshufi32x4	$221, %zmm17, %zmm4, %zmm4
	vshufi32x4	$136, %zmm11, %zmm1, %zmm16
	vshufi32x4	$221, %zmm11, %zmm1, %zmm1
	vmovdqa32	%zmm16, (%rdi)
	vshufi32x4	$136, %zmm10, %zmm4, %zmm16
	vshufi32x4	$221, %zmm10, %zmm4, %zmm4
	vmovdqa32	%zmm1, 512(%rdi)
	vshufi32x4	$136, %zmm9, %zmm2, %zmm1
	vshufi32x4	$221, %zmm9, %zmm2, %zmm2
	vshufi32x4	$136, %zmm8, %zmm6, %zmm9
	vmovdqa32	%zmm4, 768(%rdi)
	vshufi32x4	$221, %zmm8, %zmm6, %zmm4
	vshufi32x4	$136, %zmm9, %zmm1, %zmm6
	vshufi32x4	$221, %zmm9, %zmm1, %zmm1
	vmovdqa32	%zmm6, 64(%rdi)
	vshufi32x4	$136, %zmm4, %zmm2, %zmm6
	vshufi32x4	$221, %zmm4, %zmm2, %zmm2
	vshufi32x4	$136, %zmm15, %zmm12, %zmm4
	vmovdqa32	%zmm6, 320(%rdi)
	vshufi32x4	$136, %zmm13, %zmm7, %zmm6
	vmovdqa32	%zmm1, 576(%rdi)
	vshufi32x4	$221, %zmm15, %zmm12, %zmm1
	vmovdqa32	%zmm16, 256(%rdi)
	vmovdqa32	%zmm2, 832(%rdi)
	vshufi32x4	$221, %zmm13, %zmm7, %zmm2
	vshufi32x4	$136, %zmm6, %zmm4, %zmm7
	vshufi32x4	$221, %zmm6, %zmm4, %zmm4
	vmovdqa32	%zmm7, 128(%rdi)
	vshufi32x4	$136, %zmm2, %zmm1, %zmm7
	vshufi32x4	$221, %zmm2, %zmm1, %zmm1
	vshufi32x4	$136, %zmm14, %zmm0, %zmm2
	vmovdqa32	%zmm4, 640(%rdi)
	vshufi32x4	$136, %zmm3, %zmm5, %zmm4
	vshufi32x4	$221, %zmm14, %zmm0, %zmm0
	vmovdqa32	%zmm1, 896(%rdi)
	vshufi32x4	$221, %zmm3, %zmm5, %zmm1
	vshufi32x4	$136, %zmm4, %zmm2, %zmm3
	vshufi32x4	$221, %zmm4, %zmm2, %zmm2
	vmovdqa32	%zmm3, 192(%rdi)
	vshufi32x4	$136, %zmm1, %zmm0, %zmm3
	vshufi32x4	$221, %zmm1, %zmm0, %zmm0
	vmovdqa32	%zmm7, 384(%rdi)
	vmovdqa32	%zmm3, 448(%rdi)
	vmovdqa32	%zmm2, 704(%rdi)
	vmovdqa32	%zmm0, 960(%rdi)
	vzeroupper
	ret
	.cfi_endproc
.LFE6451:
	.size	_ZN10torchpaged12_GLOBAL__N_19transposeEPDv16_f, .-_ZN10torchpaged12_GLOBAL__N_19transposeEPDv16_f
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi1ELi8EEEvPflPKfS5_S5_ll.constprop.0, @function
_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi1ELi8EEEvPflPKfS5_S5_ll.constprop.0:
.LFB7899:
	.cfi_startproc
	vbroadcastss	(%rsi), %zmm9
	vmulps	(%rdi), %zmm9, %zmm16
	vmulps	64(%rdi), %zmm9, %zmm15
	vmulps	128(%rdi), %zmm9, %zmm14
	vmulps	192(%rdi), %zmm9, %zmm13
	vmulps	256(%rdi), %zmm9, %zmm12
	vmulps	320(%rdi), %zmm9, %zmm11
	vmulps	384(%rdi), %zmm9, %zmm10
	vmulps	448(%rdi), %zmm9, %zmm9
	testq	%r9, %r9
	jle	.L501
	leaq	0(,%r8,4), %rax
	leaq	(%rdx,%r9,4), %rsi
	.p2align 4,,10
	.p2align 3
.L502:
	vbroadcastss	(%rdx), %zmm0
	addq	$4, %rdx
	vmovups	(%rcx), %zmm8
	vmovups	64(%rcx), %zmm7
	vmovups	128(%rcx), %zmm6
	vmovups	192(%rcx), %zmm5
	vmovups	256(%rcx), %zmm4
	vmovups	320(%rcx), %zmm3
	vmovups	384(%rcx), %zmm2
	vmovups	448(%rcx), %zmm1
	addq	%rax, %rcx
	vdpbf16ps	%zmm8, %zmm0, %zmm16
	vdpbf16ps	%zmm7, %zmm0, %zmm15
	vdpbf16ps	%zmm6, %zmm0, %zmm14
	vdpbf16ps	%zmm5, %zmm0, %zmm13
	vdpbf16ps	%zmm4, %zmm0, %zmm12
	vdpbf16ps	%zmm3, %zmm0, %zmm11
	vdpbf16ps	%zmm2, %zmm0, %zmm10
	vdpbf16ps	%zmm1, %zmm0, %zmm9
	cmpq	%rdx, %rsi
	jne	.L502
.L501:
	vmovups	%zmm16, (%rdi)
	vmovups	%zmm15, 64(%rdi)
	vmovups	%zmm14, 128(%rdi)
	vmovups	%zmm13, 192(%rdi)
	vmovups	%zmm12, 256(%rdi)
	vmovups	%zmm11, 320(%rdi)
	vmovups	%zmm10, 384(%rdi)
	vmovups	%zmm9, 448(%rdi)
	vzeroupper
	ret
	.cfi_endproc
.LFE7899:
	.size	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi1ELi8EEEvPflPKfS5_S5_ll.constprop.0, .-_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi1ELi8EEEvPflPKfS5_S5_ll.constprop.0
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi1ELi4EEEvPflPKfS5_S5_ll.constprop.0, @function
_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi1ELi4EEEvPflPKfS5_S5_ll.constprop.0:
.LFB7900:
	.cfi_startproc
	vbroadcastss	(%rsi), %zmm5
	vmulps	(%rdi), %zmm5, %zmm8
	vmulps	64(%rdi), %zmm5, %zmm7
	vmulps	128(%rdi), %zmm5, %zmm6
	vmulps	192(%rdi), %zmm5, %zmm5
	testq	%r9, %r9
	jle	.L505
	leaq	0(,%r8,4), %rax
	leaq	(%rdx,%r9,4), %rsi
	.p2align 4,,10
	.p2align 3
.L506:
	vbroadcastss	(%rdx), %zmm4
	addq	$4, %rdx
	vmovups	(%rcx), %zmm3
	vmovups	64(%rcx), %zmm2
	vmovups	128(%rcx), %zmm1
	vmovups	192(%rcx), %zmm0
	addq	%rax, %rcx
	vdpbf16ps	%zmm3, %zmm4, %zmm8
	vdpbf16ps	%zmm2, %zmm4, %zmm7
	vdpbf16ps	%zmm1, %zmm4, %zmm6
	vdpbf16ps	%zmm0, %zmm4, %zmm5
	cmpq	%rdx, %rsi
	jne	.L506
.L505:
	vmovups	%zmm8, (%rdi)
	vmovups	%zmm7, 64(%rdi)
	vmovups	%zmm6, 128(%rdi)
	vmovups	%zmm5, 192(%rdi)
	vzeroupper
	ret
	.cfi_endproc
.LFE7900:
	.size	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi1ELi4EEEvPflPKfS5_S5_ll.constprop.0, .-_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi1ELi4EEEvPflPKfS5_S5_ll.constprop.0
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_117add_value_columnsINS0_10Bf16EngineELi1ELi8EEEvlPflPKfS5_S5_l.constprop.0, @function
_ZN10torchpaged12_GLOBAL__N_117add_value_columnsINS0_10Bf16EngineELi1ELi8EEEvlPflPKfS5_S5_l.constprop.0:
.LFB7901:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rdi, %r11
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	movq	%rdx, %r13
	pushq	%r12
	.cfi_offset 12, -48
	movq	%rcx, %r12
	pushq	%rbx
	.cfi_offset 3, -56
	movq	%rsi, %rbx
	andq	$-64, %rsp
	subq	$64, %rsp
	movq	%r8, 56(%rsp)
	cmpq	$127, %rsi
	jle	.L522
	leaq	-128(%rsi), %r15
	movq	%r8, %r10
	movq	%rsi, %r8
	shrq	$7, %r15
	movq	%r15, %rax
	salq	$9, %rax
	leaq	512(%rdi,%rax), %r14
	.p2align 4,,10
	.p2align 3
.L510:
	movq	%r10, %rcx
	movq	%r12, %rdx
	movq	%r13, %rsi
	addq	$512, %r10
	call	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi1ELi8EEEvPflPKfS5_S5_ll.constprop.0
	addq	$512, %rdi
	cmpq	%r14, %rdi
	jne	.L510
	leaq	1(%r15), %r10
	movq	%r8, %rbx
	salq	$7, %r10
	leaq	63(%r10), %rax
.L509:
	cmpq	%rax, %rbx
	jle	.L511
	movq	56(%rsp), %rax
	leaq	0(,%r10,4), %r14
	movq	%r10, %r15
	movq	%rbx, %r8
	leaq	(%r11,%r14), %rdi
	addq	%rax, %r14
	.p2align 4,,10
	.p2align 3
.L512:
	movq	%r14, %rcx
	movq	%r12, %rdx
	movq	%r13, %rsi
	addq	$256, %r14
	call	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_10Bf16EngineELi1ELi4EEEvPflPKfS5_S5_ll.constprop.0
	movq	%r15, %rax
	addq	$256, %rdi
	addq	$64, %r15
	addq	$127, %rax
	cmpq	%rax, %r8
	jg	.L512
	leaq	-64(%r8), %rax
	leaq	63(%r10), %rdx
	movq	%r8, %rbx
	subq	%r10, %rax
	andq	$-64, %rax
	cmpq	%rdx, %r8
	movl	$0, %edx
	cmovle	%rdx, %rax
	leaq	64(%r10,%rax), %r10
.L511:
	leaq	31(%r10), %rax
	cmpq	%rax, %rbx
	jle	.L513
	movq	56(%rsp), %rax
	leaq	0(,%rbx,4), %rsi
	leaq	(%r12,%r9,4), %rcx
	movq	%r10, %rdi
	leaq	(%rax,%r10,4), %r8
	leaq	-32(%rbx), %rax
	subq	%r10, %rax
	movq	%rax, %rdx
	.p2align 4,,10
	.p2align 3
.L516:
	vbroadcastss	0(%r13), %zmm3
	vmulps	(%r11,%rdi,4), %zmm3, %zmm4
	vmulps	64(%r11,%rdi,4), %zmm3, %zmm3
	testq	%r9, %r9
	jle	.L514
	movq	%r12, %r14
	movq	%r8, %rax
	.p2align 4,,10
	.p2align 3
.L515:
	vbroadcastss	(%r14), %zmm2
	addq	$4, %r14
	vmovups	(%rax), %zmm1
	vmovups	64(%rax), %zmm0
	addq	%rsi, %rax
	vdpbf16ps	%zmm1, %zmm2, %zmm4
	vdpbf16ps	%zmm0, %zmm2, %zmm3
	cmpq	%r14, %rcx
	jne	.L515
.L514:
	vmovups	%zmm4, (%r11,%rdi,4)
	subq	$-128, %r8
	vmovups	%zmm3, 64(%r11,%rdi,4)
	addq	$32, %rdi
	cmpq	%rdi, %rbx
	jne	.L516
	movq	%rdx, %rax
	andq	$-32, %rax
	leaq	32(%r10,%rax), %r10
.L513:
	leaq	15(%r10), %rax
	movq	56(%rsp), %rdi
	leaq	0(,%rbx,4), %rsi
	leaq	(%r12,%r9,4), %rcx
	cmpq	%rax, %rbx
	jle	.L531
	.p2align 4,,10
	.p2align 3
.L520:
	vbroadcastss	0(%r13), %zmm1
	leaq	0(,%r10,4), %rdx
	vmulps	(%r11,%r10,4), %zmm1, %zmm1
	testq	%r9, %r9
	jle	.L518
	addq	%rdi, %rdx
	movq	%r12, %rax
	.p2align 4,,10
	.p2align 3
.L519:
	vbroadcastss	(%rax), %zmm2
	addq	$4, %rax
	vmovups	(%rdx), %zmm0
	addq	%rsi, %rdx
	vdpbf16ps	%zmm0, %zmm2, %zmm1
	cmpq	%rax, %rcx
	jne	.L519
.L518:
	vmovups	%zmm1, (%r11,%r10,4)
	leaq	16(%r10), %rax
	addq	$31, %r10
	cmpq	%r10, %rbx
	jle	.L531
	movq	%rax, %r10
	jmp	.L520
.L531:
	vzeroupper
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L522:
	.cfi_restore_state
	movl	$63, %eax
	xorl	%r10d, %r10d
	jmp	.L509
	.cfi_endproc
.LFE7901:
	.size	_ZN10torchpaged12_GLOBAL__N_117add_value_columnsINS0_10Bf16EngineELi1ELi8EEEvlPflPKfS5_S5_l.constprop.0, .-_ZN10torchpaged12_GLOBAL__N_117add_value_columnsINS0_10Bf16EngineELi1ELi8EEEvlPflPKfS5_S5_l.constprop.0
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi3EEEviPKfllS4_Pfb.constprop.0, @function
_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi3EEEviPKfllS4_Pfb.constprop.0:
.LFB7904:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movl	%edi, %eax
	movq	%rcx, %r11
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r12
	pushq	%rbx
	.cfi_offset 12, -24
	.cfi_offset 3, -32
	movq	%r8, %rbx
	movq	%r9, %r8
	cmpl	$4, %eax
	je	.L534
	testl	%eax, %eax
	jle	.L543
	movslq	%eax, %r9
	leaq	0(,%rdx,4), %rcx
	leaq	(%r11,%rdx), %rax
	xorl	%r10d, %r10d
	leaq	(%rdi,%rcx), %r12
	salq	$6, %r9
	leaq	(%rdi,%rax,4), %rdi
	negq	%rcx
	.p2align 4,,10
	.p2align 3
.L539:
	testq	%r11, %r11
	jle	.L540
	vxorps	%xmm1, %xmm1, %xmm1
	leaq	(%rbx,%r10), %rdx
	movq	%r12, %rax
	vmovaps	%zmm1, %zmm2
	vmovaps	%zmm1, %zmm3
	.p2align 4,,10
	.p2align 3
.L538:
	vmovups	(%rdx), %zmm0
	addq	$256, %rdx
	vfmadd231ps	(%rax,%rcx){1to16}, %zmm0, %zmm3
	vfmadd231ps	(%rax){1to16}, %zmm0, %zmm2
	vfmadd231ps	(%rax,%rsi,4){1to16}, %zmm0, %zmm1
	addq	$4, %rax
	cmpq	%rax, %rdi
	jne	.L538
.L537:
	vmovups	%zmm3, (%r8,%r10)
	vmovups	%zmm2, 256(%r8,%r10)
	vmovups	%zmm1, 512(%r8,%r10)
	addq	$64, %r10
	cmpq	%r10, %r9
	jne	.L539
	vzeroupper
.L543:
	popq	%rbx
	popq	%r12
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L540:
	.cfi_restore_state
	vxorps	%xmm1, %xmm1, %xmm1
	vmovaps	%zmm1, %zmm2
	vmovaps	%zmm1, %zmm3
	jmp	.L537
.L534:
	movq	%rbx, %rcx
	xorl	%r9d, %r9d
	popq	%rbx
	movq	%r11, %rdx
	popq	%r12
	popq	%rbp
	.cfi_def_cfa 7, 8
	jmp	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi3ELi4EEEvPKfllS4_Pfb
	.cfi_endproc
.LFE7904:
	.size	_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi3EEEviPKfllS4_Pfb.constprop.0, .-_ZN10torchpaged12_GLOBAL__N_18dot_rowsINS0_11FloatEngineELi3EEEviPKfllS4_Pfb.constprop.0
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_117add_value_columnsINS0_11FloatEngineELi3ELi8EEEvlPflPKfS5_S5_l.constprop.0, @function
_ZN10torchpaged12_GLOBAL__N_117add_value_columnsINS0_11FloatEngineELi3ELi8EEEvlPflPKfS5_S5_l.constprop.0:
.LFB7905:
	.cfi_startproc
	leaq	8(%rsp), %r10
	.cfi_def_cfa 10, 0
	andq	$-64, %rsp
	pushq	-8(%r10)
	pushq	%rbp
	movq	%rsp, %rbp
	.cfi_escape 0x10,0x6,0x2,0x76,0
	pushq	%r15
	pushq	%r14
	.cfi_escape 0x10,0xf,0x2,0x76,0x78
	.cfi_escape 0x10,0xe,0x2,0x76,0x70
	movq	%rdx, %r14
	movq	%rcx, %rdx
	movq	%r8, %rcx
	pushq	%r13
	pushq	%r12
	.cfi_escape 0x10,0xd,0x2,0x76,0x68
	.cfi_escape 0x10,0xc,0x2,0x76,0x60
	movq	%rsi, %r12
	pushq	%r10
	.cfi_escape 0xf,0x3,0x76,0x58,0x6
	pushq	%rbx
	subq	$64, %rsp
	.cfi_escape 0x10,0x3,0x2,0x76,0x50
	movq	%rdi, -64(%rbp)
	cmpq	$127, %rsi
	jle	.L557
	leaq	-128(%rsi), %rax
	movq	%rdx, -56(%rbp)
	movq	%r8, %r13
	movq	%r9, %r15
	shrq	$7, %rax
	movq	%r8, -80(%rbp)
	movq	%rax, %rsi
	movq	%rax, -72(%rbp)
	salq	$9, %rsi
	leaq	512(%rdi,%rsi), %rbx
	.p2align 4,,10
	.p2align 3
.L547:
	subq	$8, %rsp
	movq	-56(%rbp), %rcx
	movq	%r13, %r8
	movq	%r12, %r9
	pushq	%r15
	movq	%r14, %rdx
	movq	%r12, %rsi
	addq	$512, %r13
	call	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi3ELi8EEEvPflPKfS5_S5_ll
	addq	$512, %rdi
	popq	%r8
	popq	%r9
	cmpq	%rdi, %rbx
	jne	.L547
	movq	-72(%rbp), %r13
	movq	-56(%rbp), %rdx
	movq	%r15, %r9
	movq	-80(%rbp), %rcx
	leaq	1(%r13), %rbx
	salq	$7, %rbx
	movq	%rbx, %rsi
	leaq	63(%rbx), %rax
.L546:
	cmpq	%rax, %r12
	jle	.L548
	movq	-64(%rbp), %rax
	movq	%rsi, -72(%rbp)
	movq	%r14, %rbx
	movq	%r9, %r13
	leaq	0(,%rsi,4), %r15
	movq	%rdx, -56(%rbp)
	movq	%rcx, -80(%rbp)
	leaq	(%rax,%r15), %rdi
	addq	%rcx, %r15
	movq	%r12, %rax
	movq	%r15, %r14
	movq	%rsi, %r12
	movq	%rbx, %r15
	movq	%rax, %rbx
	.p2align 4,,10
	.p2align 3
.L549:
	subq	$8, %rsp
	movq	-56(%rbp), %rcx
	movq	%r14, %r8
	movq	%rbx, %rsi
	pushq	%r13
	movq	%rbx, %r9
	movq	%r15, %rdx
	addq	$256, %r14
	call	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi3ELi4EEEvPflPKfS5_S5_ll
	movq	%r12, %rax
	popq	%rcx
	addq	$64, %r12
	addq	$127, %rax
	addq	$256, %rdi
	popq	%rsi
	cmpq	%rax, %rbx
	jg	.L549
	movq	-72(%rbp), %rsi
	leaq	-64(%rbx), %rax
	movq	-56(%rbp), %rdx
	movq	%rbx, %r12
	movq	-80(%rbp), %rcx
	movq	%r15, %r14
	movq	%r13, %r9
	subq	%rsi, %rax
	leaq	63(%rsi), %rdi
	andq	$-64, %rax
	cmpq	%rdi, %rbx
	movl	$0, %edi
	cmovle	%rdi, %rax
	leaq	64(%rsi,%rax), %rsi
.L548:
	leaq	31(%rsi), %rax
	cmpq	%rax, %r12
	jle	.L550
	movq	-64(%rbp), %rax
	leaq	0(,%rsi,4), %r8
	leaq	32(%rsi), %r10
	movq	%rdx, -56(%rbp)
	movq	%rcx, -80(%rbp)
	leaq	(%rcx,%r8), %r13
	leaq	(%rax,%r8), %rdi
	leaq	-32(%r12), %rax
	movq	%r10, -88(%rbp)
	subq	%rsi, %rax
	movq	%rax, %r15
	movq	%rax, -72(%rbp)
	movq	%r9, %rax
	movq	%r12, %r9
	andq	$-32, %r15
	movq	%r13, %r12
	movq	%rax, %rbx
	movq	%r14, %r13
	addq	%r10, %r15
	movq	%rsi, %r14
	.p2align 4,,10
	.p2align 3
.L551:
	subq	$8, %rsp
	movq	-56(%rbp), %rcx
	movq	%r12, %r8
	movq	%r13, %rdx
	pushq	%rbx
	movq	%r9, %rsi
	addq	$32, %r14
	subq	$-128, %r12
	call	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi3ELi2EEEvPflPKfS5_S5_ll
	popq	%rax
	subq	$-128, %rdi
	popq	%rdx
	cmpq	%r15, %r14
	jne	.L551
	movq	-72(%rbp), %rax
	movq	-88(%rbp), %r10
	movq	%r9, %r12
	movq	%r13, %r14
	movq	-56(%rbp), %rdx
	movq	-80(%rbp), %rcx
	movq	%rbx, %r9
	andq	$-32, %rax
	leaq	(%rax,%r10), %rsi
.L550:
	leaq	15(%rsi), %rax
	cmpq	%rax, %r12
	jle	.L563
	movq	-64(%rbp), %r13
	leaq	0(,%rsi,4), %rdi
	leaq	(%rdx,%r9,4), %r10
	leaq	0(,%r12,4), %r8
	leaq	0(,%r12,8), %r11
	addq	%rdi, %r13
	.p2align 4,,10
	.p2align 3
.L555:
	vbroadcastss	(%r14), %zmm3
	vbroadcastss	4(%r14), %zmm2
	vbroadcastss	8(%r14), %zmm1
	vmulps	0(%r13), %zmm3, %zmm3
	vmulps	0(%r13,%r8), %zmm2, %zmm2
	vmulps	0(%r13,%r11), %zmm1, %zmm1
	testq	%r9, %r9
	jle	.L553
	addq	%rcx, %rdi
	movq	%rdx, %rax
	.p2align 4,,10
	.p2align 3
.L554:
	vmovups	(%rdi), %zmm0
	addq	$4, %rax
	addq	%r8, %rdi
	vfmadd231ps	-4(%rax){1to16}, %zmm0, %zmm3
	vfmadd231ps	252(%rax){1to16}, %zmm0, %zmm2
	vfmadd231ps	508(%rax){1to16}, %zmm0, %zmm1
	cmpq	%rax, %r10
	jne	.L554
.L553:
	leaq	16(%rsi), %rax
	addq	$31, %rsi
	vmovups	%zmm3, 0(%r13)
	addq	$64, %r13
	vmovups	%zmm2, -64(%r13,%r8)
	vmovups	%zmm1, -64(%r13,%r11)
	cmpq	%rsi, %r12
	jle	.L565
	movq	%rax, %rsi
	leaq	0(,%rax,4), %rdi
	jmp	.L555
.L565:
	vzeroupper
.L563:
	leaq	-48(%rbp), %rsp
	popq	%rbx
	popq	%r10
	.cfi_remember_state
	.cfi_def_cfa 10, 0
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	leaq	-8(%r10), %rsp
	.cfi_def_cfa 7, 8
	ret
.L557:
	.cfi_restore_state
	movl	$63, %eax
	xorl	%esi, %esi
	jmp	.L546
	.cfi_endproc
.LFE7905:
	.size	_ZN10torchpaged12_GLOBAL__N_117add_value_columnsINS0_11FloatEngineELi3ELi8EEEvlPflPKfS5_S5_l.constprop.0, .-_ZN10torchpaged12_GLOBAL__N_117add_value_columnsINS0_11FloatEngineELi3ELi8EEEvlPflPKfS5_S5_l.constprop.0
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi1ELi8EEEvPflPKfS5_S5_ll.constprop.0, @function
_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi1ELi8EEEvPflPKfS5_S5_ll.constprop.0:
.LFB7906:
	.cfi_startproc
	vbroadcastss	(%rsi), %zmm9
	vmulps	(%rdi), %zmm9, %zmm16
	vmulps	64(%rdi), %zmm9, %zmm15
	vmulps	128(%rdi), %zmm9, %zmm14
	vmulps	192(%rdi), %zmm9, %zmm13
	vmulps	256(%rdi), %zmm9, %zmm12
	vmulps	320(%rdi), %zmm9, %zmm11
	vmulps	384(%rdi), %zmm9, %zmm10
	vmulps	448(%rdi), %zmm9, %zmm9
	testq	%r9, %r9
	jle	.L567
	leaq	0(,%r8,4), %rax
	leaq	(%rdx,%r9,4), %rsi
	.p2align 4,,10
	.p2align 3
.L568:
	vbroadcastss	(%rdx), %zmm0
	addq	$4, %rdx
	vmovups	(%rcx), %zmm8
	vmovups	64(%rcx), %zmm7
	vmovups	128(%rcx), %zmm6
	vmovups	192(%rcx), %zmm5
	vmovups	256(%rcx), %zmm4
	vmovups	320(%rcx), %zmm3
	vmovups	384(%rcx), %zmm2
	vmovups	448(%rcx), %zmm1
	addq	%rax, %rcx
	vfmadd231ps	%zmm8, %zmm0, %zmm16
	vfmadd231ps	%zmm7, %zmm0, %zmm15
	vfmadd231ps	%zmm6, %zmm0, %zmm14
	vfmadd231ps	%zmm5, %zmm0, %zmm13
	vfmadd231ps	%zmm4, %zmm0, %zmm12
	vfmadd231ps	%zmm3, %zmm0, %zmm11
	vfmadd231ps	%zmm2, %zmm0, %zmm10
	vfmadd231ps	%zmm1, %zmm0, %zmm9
	cmpq	%rdx, %rsi
	jne	.L568
.L567:
	vmovups	%zmm16, (%rdi)
	vmovups	%zmm15, 64(%rdi)
	vmovups	%zmm14, 128(%rdi)
	vmovups	%zmm13, 192(%rdi)
	vmovups	%zmm12, 256(%rdi)
	vmovups	%zmm11, 320(%rdi)
	vmovups	%zmm10, 384(%rdi)
	vmovups	%zmm9, 448(%rdi)
	vzeroupper
	ret
	.cfi_endproc
.LFE7906:
	.size	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi1ELi8EEEvPflPKfS5_S5_ll.constprop.0, .-_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi1ELi8EEEvPflPKfS5_S5_ll.constprop.0
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi1ELi4EEEvPflPKfS5_S5_ll.constprop.0, @function
_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi1ELi4EEEvPflPKfS5_S5_ll.constprop.0:
.LFB7907:
	.cfi_startproc
	vbroadcastss	(%rsi), %zmm5
	vmulps	(%rdi), %zmm5, %zmm8
	vmulps	64(%rdi), %zmm5, %zmm7
	vmulps	128(%rdi), %zmm5, %zmm6
	vmulps	192(%rdi), %zmm5, %zmm5
	testq	%r9, %r9
	jle	.L571
	leaq	0(,%r8,4), %rax
	leaq	(%rdx,%r9,4), %rsi
	.p2align 4,,10
	.p2align 3
.L572:
	vbroadcastss	(%rdx), %zmm4
	addq	$4, %rdx
	vmovups	(%rcx), %zmm3
	vmovups	64(%rcx), %zmm2
	vmovups	128(%rcx), %zmm1
	vmovups	192(%rcx), %zmm0
	addq	%rax, %rcx
	vfmadd231ps	%zmm3, %zmm4, %zmm8
	vfmadd231ps	%zmm2, %zmm4, %zmm7
	vfmadd231ps	%zmm1, %zmm4, %zmm6
	vfmadd231ps	%zmm0, %zmm4, %zmm5
	cmpq	%rdx, %rsi
	jne	.L572
.L571:
	vmovups	%zmm8, (%rdi)
	vmovups	%zmm7, 64(%rdi)
	vmovups	%zmm6, 128(%rdi)
	vmovups	%zmm5, 192(%rdi)
	vzeroupper
	ret
	.cfi_endproc
.LFE7907:
	.size	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi1ELi4EEEvPflPKfS5_S5_ll.constprop.0, .-_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi1ELi4EEEvPflPKfS5_S5_ll.constprop.0
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_117add_value_columnsINS0_11FloatEngineELi1ELi8EEEvlPflPKfS5_S5_l.constprop.0, @function
_ZN10torchpaged12_GLOBAL__N_117add_value_columnsINS0_11FloatEngineELi1ELi8EEEvlPflPKfS5_S5_l.constprop.0:
.LFB7908:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rdi, %r11
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	movq	%rdx, %r13
	pushq	%r12
	.cfi_offset 12, -48
	movq	%rcx, %r12
	pushq	%rbx
	.cfi_offset 3, -56
	movq	%rsi, %rbx
	andq	$-64, %rsp
	subq	$64, %rsp
	movq	%r8, 56(%rsp)
	cmpq	$127, %rsi
	jle	.L588
	leaq	-128(%rsi), %r15
	movq	%r8, %r14
	movq	%rsi, %r8
	shrq	$7, %r15
	movq	%r15, %rax
	salq	$9, %rax
	leaq	512(%rdi,%rax), %r10
	.p2align 4,,10
	.p2align 3
.L576:
	movq	%r14, %rcx
	movq	%r12, %rdx
	movq	%r13, %rsi
	addq	$512, %r14
	call	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi1ELi8EEEvPflPKfS5_S5_ll.constprop.0
	addq	$512, %rdi
	cmpq	%rdi, %r10
	jne	.L576
	leaq	1(%r15), %r10
	movq	%r8, %rbx
	salq	$7, %r10
	leaq	63(%r10), %rax
.L575:
	cmpq	%rax, %rbx
	jle	.L577
	movq	56(%rsp), %rax
	leaq	0(,%r10,4), %r14
	movq	%r10, %r15
	movq	%rbx, %r8
	leaq	(%r11,%r14), %rdi
	addq	%rax, %r14
	.p2align 4,,10
	.p2align 3
.L578:
	movq	%r14, %rcx
	movq	%r12, %rdx
	movq	%r13, %rsi
	addq	$256, %r14
	call	_ZN10torchpaged12_GLOBAL__N_110add_valuesINS0_11FloatEngineELi1ELi4EEEvPflPKfS5_S5_ll.constprop.0
	movq	%r15, %rax
	addq	$256, %rdi
	addq	$64, %r15
	addq	$127, %rax
	cmpq	%rax, %r8
	jg	.L578
	leaq	-64(%r8), %rax
	leaq	63(%r10), %rdx
	movq	%r8, %rbx
	subq	%r10, %rax
	andq	$-64, %rax
	cmpq	%rdx, %r8
	movl	$0, %edx
	cmovle	%rdx, %rax
	leaq	64(%r10,%rax), %r10
.L577:
	leaq	31(%r10), %rax
	cmpq	%rax, %rbx
	jle	.L579
	leaq	-32(%rbx), %rdx
	movq	56(%rsp), %rax
	leaq	32(%r10), %r14
	subq	%r10, %rdx
	leaq	0(,%rbx,4), %rsi
	leaq	(%r12,%r9,4), %rcx
	movq	%rdx, %r8
	leaq	(%rax,%r10,4), %rdi
	andq	$-32, %r8
	addq	%r14, %r8
	.p2align 4,,10
	.p2align 3
.L582:
	vbroadcastss	0(%r13), %zmm3
	vmulps	(%r11,%r10,4), %zmm3, %zmm4
	vmulps	64(%r11,%r10,4), %zmm3, %zmm3
	testq	%r9, %r9
	jle	.L580
	movq	%r12, %r15
	movq	%rdi, %rax
	.p2align 4,,10
	.p2align 3
.L581:
	vbroadcastss	(%r15), %zmm2
	addq	$4, %r15
	vmovups	(%rax), %zmm1
	vmovups	64(%rax), %zmm0
	addq	%rsi, %rax
	vfmadd231ps	%zmm1, %zmm2, %zmm4
	vfmadd231ps	%zmm0, %zmm2, %zmm3
	cmpq	%r15, %rcx
	jne	.L581
.L580:
	vmovups	%zmm4, (%r11,%r10,4)
	subq	$-128, %rdi
	vmovups	%zmm3, 64(%r11,%r10,4)
	addq	$32, %r10
	cmpq	%r8, %r10
	jne	.L582
	andq	$-32, %rdx
	leaq	(%rdx,%r14), %r10
.L579:
	leaq	15(%r10), %rax
	movq	56(%rsp), %rdi
	leaq	0(,%rbx,4), %rsi
	leaq	(%r12,%r9,4), %rcx
	cmpq	%rax, %rbx
	jle	.L597
	.p2align 4,,10
	.p2align 3
.L586:
	vbroadcastss	0(%r13), %zmm1
	leaq	0(,%r10,4), %rdx
	vmulps	(%r11,%r10,4), %zmm1, %zmm1
	testq	%r9, %r9
	jle	.L584
	addq	%rdi, %rdx
	movq	%r12, %rax
	.p2align 4,,10
	.p2align 3
.L585:
	vmovups	(%rdx), %zmm0
	addq	$4, %rax
	addq	%rsi, %rdx
	vfmadd231ps	-4(%rax){1to16}, %zmm0, %zmm1
	cmpq	%rax, %rcx
	jne	.L585
.L584:
	vmovups	%zmm1, (%r11,%r10,4)
	leaq	16(%r10), %rax
	addq	$31, %r10
	cmpq	%r10, %rbx
	jle	.L597
	movq	%rax, %r10
	jmp	.L586
.L597:
	vzeroupper
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L588:
	.cfi_restore_state
	movl	$63, %eax
	xorl	%r10d, %r10d
	jmp	.L575
	.cfi_endproc
.LFE7908:
	.size	_ZN10torchpaged12_GLOBAL__N_117add_value_columnsINS0_11FloatEngineELi1ELi8EEEvlPflPKfS5_S5_l.constprop.0, .-_ZN10torchpaged12_GLOBAL__N_117add_value_columnsINS0_11FloatEngineELi1ELi8EEEvlPflPKfS5_S5_l.constprop.0
	.align 2
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE12load_queriesEv, @function
_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE12load_queriesEv:
.LFB7184:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	movq	%rdi, %r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	addq	$-128, %rsp
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	movq	8(%r13), %r9
	movl	200(%rdi), %edi
	movl	16(%r9), %esi
	testl	%edi, %edi
	jle	.L600
	movq	0(%r13), %r8
	xorl	%r14d, %r14d
	.p2align 4,,10
	.p2align 3
.L617:
	movl	%r14d, %eax
	movl	256(%r8), %r10d
	movl	%r14d, 60(%rsp)
	cltd
	movslq	260(%r8), %r15
	idivl	%esi
	movl	%eax, %ecx
	movl	12(%r9), %eax
	addl	4(%r9), %ecx
	imull	%r10d, %ecx
	addl	%edx, %eax
	cltd
	idivl	%r10d
	addl	%edx, %ecx
	cltq
	addq	168(%r13), %rax
	movq	%r14, %rdx
	imulq	8(%r8), %rax
	movslq	%ecx, %rcx
	imulq	16(%r8), %rcx
	imulq	%r15, %rdx
	leaq	(%rcx,%rax), %rbx
	movq	16(%r13), %rax
	addq	(%r8), %rbx
	leaq	(%rax,%rdx,4), %rcx
	movl	24(%r8), %eax
	cmpl	$1, %eax
	je	.L601
	cmpl	$2, %eax
	jne	.L602
	testq	%r15, %r15
	jle	.L604
	leaq	(%r15,%r15), %r9
	xorl	%r12d, %r12d
	jmp	.L612
	.p2align 4,,10
	.p2align 3
.L632:
	vpmovzxwd	(%rbx), %zmm0
	vpslld	$16, %zmm0, %zmm0
	vmovups	%zmm0, (%rcx)
.L611:
	addq	$16, %r12
	addq	$32, %rbx
	addq	$64, %rcx
	subq	$32, %r9
	cmpq	%r12, %r15
	jle	.L631
.L612:
	leaq	15(%r12), %rax
	cmpq	%rax, %r15
	jg	.L632
	movq	%rcx, 40(%rsp)
	movq	%r9, %rdx
	leaq	64(%rsp), %rdi
	movq	%rbx, %rsi
	movq	%r9, 48(%rsp)
	vpxor	%xmm4, %xmm4, %xmm4
	vmovdqa	%ymm4, 64(%rsp)
	vzeroupper
	call	memcpy@PLT
	vpmovzxwd	64(%rsp), %zmm0
	movq	48(%rsp), %r9
	movq	40(%rsp), %rdi
	movq	%rax, %rsi
	vpslld	$16, %zmm0, %zmm0
	leaq	(%r9,%r9), %rdx
	vmovdqa32	%zmm0, 64(%rsp)
	vzeroupper
	call	memcpy@PLT
	movq	48(%rsp), %r9
	movq	%rax, %rcx
	jmp	.L611
	.p2align 4,,10
	.p2align 3
.L631:
	movq	8(%r13), %r9
	movq	0(%r13), %r8
	movl	200(%r13), %edi
	movl	16(%r9), %esi
.L604:
	movq	288(%r8), %r10
	testq	%r10, %r10
	je	.L616
	movl	60(%rsp), %eax
	movl	256(%r8), %ecx
	cltd
	idivl	%esi
	movl	%eax, %r12d
	movl	12(%r9), %eax
	addl	4(%r9), %r12d
	imull	%ecx, %r12d
	addl	%edx, %eax
	cltd
	idivl	%ecx
	addl	%r12d, %edx
	movslq	%edx, %rdx
	vmovss	(%r10,%rdx,4), %xmm0
	vmovss	%xmm0, 1360(%r13,%r14,4)
.L616:
	addq	$1, %r14
	cmpl	%r14d, %edi
	jg	.L617
	vzeroupper
.L600:
	testl	%esi, %esi
	jle	.L629
	movq	0(%r13), %rax
	movl	12(%r9), %r10d
	vxorps	%xmm1, %xmm1, %xmm1
	xorl	%ecx, %ecx
	movq	152(%r13), %r8
	movslq	%esi, %r9
	subq	160(%r13), %r8
	movl	256(%rax), %edi
	.p2align 4,,10
	.p2align 3
.L619:
	movl	%ecx, %eax
	cltd
	idivl	%esi
	leal	(%rdx,%r10), %eax
	cltd
	idivl	%edi
	cltq
	addq	%r8, %rax
	vcvtsi2ssq	%rax, %xmm1, %xmm0
	vmovss	%xmm0, 204(%r13,%rcx,4)
	addq	$1, %rcx
	cmpq	%rcx, %r9
	jne	.L619
.L629:
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
	.p2align 4,,10
	.p2align 3
.L602:
	.cfi_restore_state
	testq	%r15, %r15
	jle	.L604
	leaq	0(,%r15,4), %r12
	xorl	%r8d, %r8d
	jmp	.L615
	.p2align 4,,10
	.p2align 3
.L633:
	vmovups	(%rbx), %zmm2
	vmovups	%zmm2, (%rcx)
.L614:
	addq	$16, %r8
	addq	$64, %rbx
	addq	$64, %rcx
	subq	$64, %r12
	cmpq	%r8, %r15
	jle	.L631
.L615:
	leaq	15(%r8), %rax
	cmpq	%rax, %r15
	jg	.L633
	movq	%r8, 40(%rsp)
	leaq	64(%rsp), %rdi
	movq	%r12, %rdx
	movq	%rbx, %rsi
	movq	%rcx, 48(%rsp)
	vpxor	%xmm5, %xmm5, %xmm5
	vmovdqa64	%zmm5, 64(%rsp)
	vzeroupper
	call	memcpy@PLT
	movq	48(%rsp), %rdi
	movq	%r12, %rdx
	movq	%rax, %rsi
	call	memcpy@PLT
	movq	40(%rsp), %r8
	movq	%rax, %rcx
	jmp	.L614
	.p2align 4,,10
	.p2align 3
.L601:
	testq	%r15, %r15
	jle	.L604
	leaq	(%r15,%r15), %r9
	xorl	%r12d, %r12d
	jmp	.L609
	.p2align 4,,10
	.p2align 3
.L634:
	vcvtph2ps	(%rbx), %zmm0
	vmovups	%zmm0, (%rcx)
.L608:
	addq	$16, %r12
	addq	$32, %rbx
	addq	$64, %rcx
	subq	$32, %r9
	cmpq	%r12, %r15
	jle	.L631
.L609:
	leaq	15(%r12), %rax
	cmpq	%rax, %r15
	jg	.L634
	movq	%rcx, 40(%rsp)
	movq	%r9, %rdx
	leaq	64(%rsp), %rdi
	movq	%rbx, %rsi
	movq	%r9, 48(%rsp)
	vpxor	%xmm3, %xmm3, %xmm3
	vmovdqa	%ymm3, 64(%rsp)
	vzeroupper
	call	memcpy@PLT
	movq	48(%rsp), %r9
	movq	40(%rsp), %rdi
	vcvtph2ps	64(%rsp), %zmm0
	movq	%rax, %rsi
	vmovaps	%zmm0, 64(%rsp)
	leaq	(%r9,%r9), %rdx
	vzeroupper
	call	memcpy@PLT
	movq	48(%rsp), %r9
	movq	%rax, %rcx
	jmp	.L608
	.cfi_endproc
.LFE7184:
	.size	_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE12load_queriesEv, .-_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE12load_queriesEv
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110finish_rowERKNS_15AttentionParamsEliiffPKf, @function
_ZN10torchpaged12_GLOBAL__N_110finish_rowERKNS_15AttentionParamsEliiffPKf:
.LFB6732:
	.cfi_startproc
	leaq	8(%rsp), %r10
	.cfi_def_cfa 10, 0
	andq	$-64, %rsp
	pushq	-8(%r10)
	pushq	%rbp
	movq	%rsp, %rbp
	.cfi_escape 0x10,0x6,0x2,0x76,0
	pushq	%r14
	pushq	%r13
	.cfi_escape 0x10,0xe,0x2,0x76,0x78
	.cfi_escape 0x10,0xd,0x2,0x76,0x70
	movq	%rsi, %r13
	movl	%ecx, %esi
	pushq	%r12
	pushq	%r10
	.cfi_escape 0xf,0x3,0x76,0x60,0x6
	.cfi_escape 0x10,0xc,0x2,0x76,0x68
	pushq	%rbx
	.cfi_escape 0x10,0x3,0x2,0x76,0x58
	movq	%rdi, %rbx
	subq	$136, %rsp
	movq	296(%rdi), %rax
	testq	%rax, %rax
	je	.L636
	movl	304(%rdi), %ecx
	movslq	%edx, %r12
	cmpl	$1, %ecx
	je	.L637
	cmpl	$2, %ecx
	jne	.L693
	movzwl	(%rax,%r12,2), %eax
	vpxor	%xmm2, %xmm2, %xmm2
	vmovdqu8	%xmm2, -110(%rbp)
	movw	%ax, -112(%rbp)
	vmovdqu8	%xmm2, -96(%rbp)
	vpmovzxwd	-112(%rbp), %zmm9
	vpslld	$16, %zmm9, %zmm9
.L640:
	vmaxss	%xmm9, %xmm0, %xmm3
.L641:
	vmovss	.LC27(%rip), %xmm2
	vucomiss	%xmm3, %xmm2
	ja	.L685
	vsubss	%xmm3, %xmm0, %xmm0
	vsubss	%xmm3, %xmm9, %xmm9
.L643:
	vbroadcastss	.LC29(%rip), %zmm6
	vbroadcastss	%xmm0, %zmm0
	vbroadcastss	.LC31(%rip), %zmm5
	vbroadcastss	%xmm9, %zmm9
	vbroadcastss	.LC33(%rip), %zmm10
	vbroadcastss	.LC35(%rip), %zmm8
	vbroadcastss	.LC39(%rip), %zmm16
	vmaxps	%zmm0, %zmm6, %zmm0
	vbroadcastss	.LC41(%rip), %zmm15
	vmaxps	%zmm9, %zmm6, %zmm6
	vbroadcastss	.LC43(%rip), %zmm14
	vbroadcastss	.LC45(%rip), %zmm13
	vbroadcastss	.LC47(%rip), %zmm12
	vmulps	%zmm5, %zmm0, %zmm7
	vmulps	%zmm5, %zmm6, %zmm5
	vrndscaleps	$8, %zmm7, %zmm7
	vrndscaleps	$8, %zmm5, %zmm5
	vfmadd231ps	%zmm10, %zmm7, %zmm0
	vfmadd231ps	%zmm10, %zmm5, %zmm6
	vmovaps	%zmm0, %zmm2
	vbroadcastss	.LC37(%rip), %zmm0
	vfmadd231ps	%zmm8, %zmm7, %zmm2
	vmovaps	%zmm0, %zmm4
	vmulps	%zmm2, %zmm2, %zmm11
	vfmadd132ps	%zmm2, %zmm16, %zmm4
	vfmadd132ps	%zmm2, %zmm15, %zmm4
	vfmadd132ps	%zmm2, %zmm14, %zmm4
	vfmadd132ps	%zmm2, %zmm13, %zmm4
	vfmadd132ps	%zmm2, %zmm12, %zmm4
	vfmadd231ps	%zmm11, %zmm4, %zmm2
	vmovaps	%zmm8, %zmm4
	vbroadcastss	.LC49(%rip), %zmm11
	vfmadd132ps	%zmm5, %zmm6, %zmm4
	vaddps	%zmm11, %zmm2, %zmm2
	vmulps	%zmm4, %zmm4, %zmm6
	vfmadd132ps	%zmm4, %zmm16, %zmm0
	vscalefps	%zmm7, %zmm2, %zmm2
	vfmadd132ps	%zmm4, %zmm15, %zmm0
	vfmadd132ps	%zmm4, %zmm14, %zmm0
	vfmadd132ps	%zmm4, %zmm13, %zmm0
	vfmadd132ps	%zmm4, %zmm12, %zmm0
	vfmadd132ps	%zmm6, %zmm4, %zmm0
	vaddps	%zmm11, %zmm0, %zmm0
	vscalefps	%zmm5, %zmm0, %zmm0
	vmulss	%xmm2, %xmm1, %xmm5
	vaddss	%xmm0, %xmm5, %xmm5
	vxorps	%xmm0, %xmm0, %xmm0
	vucomiss	%xmm0, %xmm1
	jp	.L673
	vmovaps	%xmm0, %xmm4
	je	.L645
.L673:
	vdivss	%xmm5, %xmm2, %xmm4
.L645:
	movq	136(%rbx), %rax
	testq	%rax, %rax
	je	.L647
	cmpb	$0, 168(%rbx)
	jne	.L647
	movslq	%esi, %rcx
	imulq	160(%rbx), %rcx
	vmulss	(%rax,%rcx,4), %xmm4, %xmm4
.L647:
	movq	352(%rbx), %rcx
	movq	360(%rbx), %rax
	movslq	264(%rbx), %rdx
	imulq	%r12, %rax
	imulq	%r13, %rcx
	addq	%rax, %rcx
	movl	24(%rbx), %eax
	addq	344(%rbx), %rcx
	cmpl	$1, %eax
	je	.L648
	cmpl	$2, %eax
	je	.L649
	cmpq	$15, %rdx
	jle	.L668
	leaq	-16(%rdx), %rdi
	vbroadcastss	%xmm4, %zmm2
	xorl	%eax, %eax
	movq	%rdi, %rsi
	vxorps	%xmm1, %xmm1, %xmm1
	andq	$-16, %rsi
	addq	$16, %rsi
	.p2align 4,,10
	.p2align 3
.L659:
	vmulps	(%r8,%rax,4), %zmm2, %zmm0
	vaddps	%zmm1, %zmm0, %zmm0
	vmovups	%zmm0, (%rcx,%rax,4)
	addq	$16, %rax
	cmpq	%rsi, %rax
	jne	.L659
	andq	$-16, %rdi
	leaq	16(%rdi), %rax
.L658:
	cmpq	%rdx, %rax
	jl	.L694
.L689:
	vzeroupper
.L654:
	movq	368(%rbx), %r14
	testq	%r14, %r14
	je	.L690
	vxorps	%xmm0, %xmm0, %xmm0
	vucomiss	%xmm0, %xmm5
	jp	.L674
	vmovss	.LC1(%rip), %xmm0
	je	.L661
.L674:
	vmovaps	%xmm5, %xmm0
	vmovss	%xmm3, -116(%rbp)
	call	logf@PLT
	vmovss	-116(%rbp), %xmm3
	vaddss	%xmm3, %xmm0, %xmm0
.L661:
	movslq	248(%rbx), %rax
	imulq	%r13, %rax
	addq	%r12, %rax
	vmovss	%xmm0, (%r14,%rax,4)
.L690:
	addq	$136, %rsp
	popq	%rbx
	popq	%r10
	.cfi_remember_state
	.cfi_def_cfa 10, 0
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%rbp
	leaq	-8(%r10), %rsp
	.cfi_def_cfa 7, 8
	ret
	.p2align 4,,10
	.p2align 3
.L693:
	.cfi_restore_state
	vmovss	(%rax,%r12,4), %xmm9
	vmovss	%xmm9, -112(%rbp)
	jmp	.L640
	.p2align 4,,10
	.p2align 3
.L685:
	vxorps	%xmm3, %xmm3, %xmm3
	jmp	.L643
	.p2align 4,,10
	.p2align 3
.L649:
	cmpl	$15, %edx
	jle	.L667
	movl	$4194304, %esi
	leaq	-16(%rdx), %r9
	vbroadcastss	%xmm4, %zmm11
	xorl	%eax, %eax
	movq	%r9, %rdi
	vpbroadcastd	%esi, %zmm8
	movl	$1, %esi
	andq	$-16, %rdi
	vpbroadcastd	%esi, %zmm7
	movl	$32767, %esi
	addq	$16, %rdi
	vxorps	%xmm10, %xmm10, %xmm10
	vpternlogd	$0xFF, %zmm9, %zmm9, %zmm9
	vpbroadcastd	%esi, %zmm6
	.p2align 4,,10
	.p2align 3
.L656:
	vmulps	(%r8,%rax,4), %zmm11, %zmm2
	vaddps	%zmm10, %zmm2, %zmm2
	vcmpps	$0, %zmm2, %zmm2, %k1
	vpsrad	$16, %zmm2, %zmm1
	vpandd	%zmm7, %zmm1, %zmm1
	vpaddd	%zmm2, %zmm1, %zmm1
	vmovdqa32	%zmm9, %zmm0{%k1}{z}
	vpaddd	%zmm6, %zmm1, %zmm1
	vpmovd2m	%zmm0, %k1
	vpord	%zmm2, %zmm8, %zmm0
	vmovaps	%zmm1, %zmm0{%k1}
	vpsrad	$16, %zmm0, %zmm0
	vpmovdw	%zmm0, %ymm0
	vmovdqu	%ymm0, (%rcx,%rax,2)
	addq	$16, %rax
	cmpq	%rax, %rdi
	jne	.L656
	andq	$-16, %r9
	leaq	16(%r9), %rsi
.L655:
	cmpq	%rdx, %rsi
	jge	.L689
	vbroadcastss	%xmm4, %zmm4
	vxorps	%xmm0, %xmm0, %xmm0
	movl	$4194304, %eax
	vmovss	%xmm5, -120(%rbp)
	vmulps	(%r8,%rsi,4), %zmm4, %zmm4
	vmovss	%xmm3, -116(%rbp)
	subq	%rsi, %rdx
	leaq	(%rcx,%rsi,2), %rdi
	vaddps	%zmm0, %zmm4, %zmm4
	vcmpps	$0, %zmm4, %zmm4, %k0
	vpsrad	$16, %zmm4, %zmm1
	vpmovm2d	%k0, %zmm0
	vpmovd2m	%zmm0, %k1
	vpbroadcastd	%eax, %zmm0
	movl	$1, %eax
	vpbroadcastd	%eax, %zmm2
	movl	$32767, %eax
	vpord	%zmm4, %zmm0, %zmm0
	vpandd	%zmm2, %zmm1, %zmm1
	vpbroadcastd	%eax, %zmm2
	vpaddd	%zmm4, %zmm1, %zmm1
	vpaddd	%zmm2, %zmm1, %zmm1
	vmovaps	%zmm1, %zmm0{%k1}
	vpsrad	$16, %zmm0, %zmm0
	vpmovdw	%zmm0, -112(%rbp)
	jmp	.L692
	.p2align 4,,10
	.p2align 3
.L648:
	cmpq	$15, %rdx
	jle	.L666
	leaq	-16(%rdx), %rdi
	vbroadcastss	%xmm4, %zmm2
	xorl	%eax, %eax
	movq	%rdi, %rsi
	vxorps	%xmm1, %xmm1, %xmm1
	andq	$-16, %rsi
	addq	$16, %rsi
	.p2align 4,,10
	.p2align 3
.L652:
	vmulps	(%r8,%rax,4), %zmm2, %zmm0
	vaddps	%zmm1, %zmm0, %zmm0
	vcvtps2ph	$8, %zmm0, %ymm0
	vmovdqu	%ymm0, (%rcx,%rax,2)
	addq	$16, %rax
	cmpq	%rax, %rsi
	jne	.L652
	andq	$-16, %rdi
	leaq	16(%rdi), %rax
.L651:
	cmpq	%rdx, %rax
	jge	.L689
	vbroadcastss	%xmm4, %zmm4
	vxorps	%xmm0, %xmm0, %xmm0
	leaq	(%rcx,%rax,2), %rdi
	vmovss	%xmm5, -120(%rbp)
	vmulps	(%r8,%rax,4), %zmm4, %zmm4
	vmovss	%xmm3, -116(%rbp)
	subq	%rax, %rdx
	vaddps	%zmm0, %zmm4, %zmm4
	vcvtps2ph	$8, %zmm4, -112(%rbp)
.L692:
	addq	%rdx, %rdx
	leaq	-112(%rbp), %rsi
	vzeroupper
	call	memcpy@PLT
	vmovss	-116(%rbp), %xmm3
	vmovss	-120(%rbp), %xmm5
	jmp	.L654
	.p2align 4,,10
	.p2align 3
.L637:
	movzwl	(%rax,%r12,2), %eax
	vpxor	%xmm2, %xmm2, %xmm2
	vmovdqu8	%xmm2, -110(%rbp)
	movw	%ax, -112(%rbp)
	vmovdqu8	%xmm2, -96(%rbp)
	vcvtph2ps	-112(%rbp), %zmm9
	jmp	.L640
	.p2align 4,,10
	.p2align 3
.L694:
	vbroadcastss	%xmm4, %zmm4
	vxorps	%xmm0, %xmm0, %xmm0
	subq	%rax, %rdx
	vmovss	%xmm5, -120(%rbp)
	vmulps	(%r8,%rax,4), %zmm4, %zmm4
	salq	$2, %rdx
	leaq	(%rcx,%rax,4), %rdi
	leaq	-112(%rbp), %rsi
	vmovss	%xmm3, -116(%rbp)
	vaddps	%zmm0, %zmm4, %zmm4
	vmovaps	%zmm4, -112(%rbp)
	vzeroupper
	call	memcpy@PLT
	vmovss	-120(%rbp), %xmm5
	vmovss	-116(%rbp), %xmm3
	jmp	.L654
	.p2align 4,,10
	.p2align 3
.L636:
	vcomiss	.LC27(%rip), %xmm0
	jnb	.L670
	vmovss	.LC1(%rip), %xmm9
	vxorps	%xmm3, %xmm3, %xmm3
	movslq	%edx, %r12
	jmp	.L643
	.p2align 4,,10
	.p2align 3
.L670:
	vmovss	.LC1(%rip), %xmm9
	vmovaps	%xmm0, %xmm3
	movslq	%edx, %r12
	jmp	.L641
	.p2align 4,,10
	.p2align 3
.L668:
	xorl	%eax, %eax
	jmp	.L658
	.p2align 4,,10
	.p2align 3
.L666:
	xorl	%eax, %eax
	jmp	.L651
	.p2align 4,,10
	.p2align 3
.L667:
	xorl	%esi, %esi
	jmp	.L655
	.cfi_endproc
.LFE6732:
	.size	_ZN10torchpaged12_GLOBAL__N_110finish_rowERKNS_15AttentionParamsEliiffPKf, .-_ZN10torchpaged12_GLOBAL__N_110finish_rowERKNS_15AttentionParamsEliiffPKf
	.align 2
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_111PanelFinishC2ERKNS_12LinearParamsEl, @function
_ZN10torchpaged12_GLOBAL__N_111PanelFinishC2ERKNS_12LinearParamsEl:
.LFB6664:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rdi, %rax
	vpxor	%xmm0, %xmm0, %xmm0
	movq	%rsi, (%rdi)
	movq	%rdx, %rdi
	movl	$32, %edx
	salq	$5, %rdi
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	andq	$-64, %rsp
	vmovdqu8	%zmm0, 24(%rax)
	movq	72(%rsi), %r10
	movq	96(%rsi), %rcx
	movq	%rdi, 8(%rax)
	vmovdqu8	%zmm0, 88(%rax)
	vmovdqu8	%zmm0, 152(%rax)
	subq	%rdi, %r10
	vmovdqu8	%zmm0, 216(%rax)
	cmpq	%rdx, %r10
	cmovle	%r10, %rdx
	movq	%rdx, 16(%rax)
	testq	%rcx, %rcx
	je	.L696
	movl	104(%rsi), %esi
	cmpl	$1, %esi
	je	.L697
	cmpl	$2, %esi
	jne	.L698
	xorl	%esi, %esi
	leaq	-64(%rsp), %r8
	vpxor	%xmm1, %xmm1, %xmm1
	testq	%r10, %r10
	jg	.L699
	jmp	.L762
	.p2align 4,,10
	.p2align 3
.L710:
	xorl	%edi, %edi
	testb	$4, %dl
	je	.L713
	movl	(%rcx), %edi
	movl	%edi, (%r10)
	movl	$4, %edi
.L713:
	andl	$2, %edx
	je	.L715
	movzwl	(%rcx,%rdi), %edx
	movw	%dx, (%r10,%rdi)
.L715:
	vpmovzxwd	-64(%rsp), %zmm0
	vpslld	$16, %zmm0, %zmm0
	vmovups	%zmm0, 24(%rax,%rsi,4)
	movq	16(%rax), %rdx
	addq	$16, %rsi
	cmpq	%rsi, %rdx
	jle	.L765
	movq	(%rax), %rcx
	movq	8(%rax), %rdi
	movq	96(%rcx), %rcx
.L699:
	movl	$16, %r9d
	subq	%rsi, %rdx
	vmovdqa	%ymm1, -64(%rsp)
	movq	%r8, %r10
	cmpq	%r9, %rdx
	cmovg	%r9, %rdx
	addq	%rsi, %rdi
	leaq	(%rcx,%rdi,2), %r9
	addq	%rdx, %rdx
	movq	%r9, %rcx
	cmpl	$8, %edx
	jb	.L710
	movl	%edx, %r11d
	xorl	%ecx, %ecx
	andl	$-8, %r11d
.L711:
	movl	%ecx, %edi
	addl	$8, %ecx
	movq	(%r9,%rdi), %r10
	movq	%r10, (%r8,%rdi)
	cmpl	%r11d, %ecx
	jb	.L711
	leaq	(%r8,%rcx), %r10
	addq	%r9, %rcx
	jmp	.L710
	.p2align 4,,10
	.p2align 3
.L698:
	xorl	%r9d, %r9d
	leaq	-64(%rsp), %r8
	vpxor	%xmm0, %xmm0, %xmm0
	testq	%r10, %r10
	jg	.L702
	jmp	.L762
	.p2align 4,,10
	.p2align 3
.L721:
	movq	(%rax), %rcx
	movq	8(%rax), %rdi
	movq	96(%rcx), %rcx
.L702:
	movl	$16, %esi
	subq	%r9, %rdx
	vmovdqa64	%zmm0, -64(%rsp)
	cmpq	%rsi, %rdx
	cmovg	%rsi, %rdx
	leaq	(%rdi,%r9), %rsi
	movq	%r8, %rdi
	leaq	(%rcx,%rsi,4), %rsi
	salq	$2, %rdx
	cmpl	$8, %edx
	jb	.L717
	movl	%edx, %ecx
	shrl	$3, %ecx
	rep movsq
.L717:
	andl	$4, %edx
	je	.L720
	movl	(%rsi), %edx
	movl	%edx, (%rdi)
.L720:
	vmovaps	-64(%rsp), %zmm2
	vmovups	%zmm2, 24(%rax,%r9,4)
	movq	16(%rax), %rdx
	addq	$16, %r9
	cmpq	%r9, %rdx
	jg	.L721
.L765:
	movq	(%rax), %rsi
.L696:
	movq	112(%rsi), %rcx
	testq	%rcx, %rcx
	je	.L762
	testq	%rdx, %rdx
	jle	.L762
	salq	$2, %rdx
	movq	8(%rax), %rsi
	leaq	152(%rax), %rdi
	vzeroupper
	leaq	(%rcx,%rsi,4), %rsi
	leave
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	jmp	memmove@PLT
	.p2align 4,,10
	.p2align 3
.L762:
	.cfi_restore_state
	vzeroupper
	leave
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
	.p2align 4,,10
	.p2align 3
.L697:
	.cfi_restore_state
	xorl	%esi, %esi
	leaq	-64(%rsp), %r8
	vpxor	%xmm1, %xmm1, %xmm1
	testq	%r10, %r10
	jg	.L701
	jmp	.L762
	.p2align 4,,10
	.p2align 3
.L703:
	xorl	%edi, %edi
	testb	$4, %dl
	je	.L706
	movl	(%rcx), %edi
	movl	%edi, (%r10)
	movl	$4, %edi
.L706:
	andl	$2, %edx
	je	.L708
	movzwl	(%rcx,%rdi), %edx
	movw	%dx, (%r10,%rdi)
.L708:
	vcvtph2ps	-64(%rsp), %zmm0
	vmovups	%zmm0, 24(%rax,%rsi,4)
	movq	16(%rax), %rdx
	addq	$16, %rsi
	cmpq	%rsi, %rdx
	jle	.L765
	movq	(%rax), %rcx
	movq	8(%rax), %rdi
	movq	96(%rcx), %rcx
.L701:
	movl	$16, %r9d
	subq	%rsi, %rdx
	vmovdqa	%ymm1, -64(%rsp)
	movq	%r8, %r10
	cmpq	%r9, %rdx
	cmovg	%r9, %rdx
	addq	%rsi, %rdi
	leaq	(%rcx,%rdi,2), %r9
	addq	%rdx, %rdx
	movq	%r9, %rcx
	cmpl	$8, %edx
	jb	.L703
	movl	%edx, %r11d
	xorl	%ecx, %ecx
	andl	$-8, %r11d
.L704:
	movl	%ecx, %edi
	addl	$8, %ecx
	movq	(%r9,%rdi), %r10
	movq	%r10, (%r8,%rdi)
	cmpl	%r11d, %ecx
	jb	.L704
	leaq	(%r8,%rcx), %r10
	addq	%r9, %rcx
	jmp	.L703
	.cfi_endproc
.LFE6664:
	.size	_ZN10torchpaged12_GLOBAL__N_111PanelFinishC2ERKNS_12LinearParamsEl, .-_ZN10torchpaged12_GLOBAL__N_111PanelFinishC2ERKNS_12LinearParamsEl
	.set	_ZN10torchpaged12_GLOBAL__N_111PanelFinishC1ERKNS_12LinearParamsEl,_ZN10torchpaged12_GLOBAL__N_111PanelFinishC2ERKNS_12LinearParamsEl
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_112quantise_rowEPKcNS_5DTypeEPcS3_fl, @function
_ZN10torchpaged12_GLOBAL__N_112quantise_rowEPKcNS_5DTypeEPcS3_fl:
.LFB6633:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rdx, %rax
	movl	%ecx, %r9d
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	movl	%esi, %ebx
	andq	$-64, %rsp
	subq	$8, %rsp
	cmpl	$1, %esi
	je	.L767
	cmpl	$2, %esi
	je	.L768
	testq	%r8, %r8
	jle	.L1049
	movl	$2147483647, %esi
	leaq	-1(%r8), %r10
	movq	%rdi, %rdx
	xorl	%ecx, %ecx
	andq	$-16, %r10
	vpbroadcastd	%esi, %xmm7
	movl	$1, %esi
	vmovdqa	.LC73(%rip), %xmm5
	vbroadcastss	%xmm0, %zmm6
	addq	$16, %r10
	leaq	-56(%rsp), %r11
	vmovdqa	.LC74(%rip), %xmm8
	vpbroadcastd	%esi, %xmm3
	jmp	.L918
	.p2align 4,,10
	.p2align 3
.L912:
	vextracti32x4	$1, %zmm0, %xmm10
	vpandd	%xmm2, %xmm7, %xmm17
	vextracti32x4	$2, %zmm0, %xmm18
	vbroadcastss	.LC81(%rip), %xmm1
	vextracti32x4	$3, %zmm0, %xmm9
	vpand	%xmm10, %xmm7, %xmm14
	vbroadcastss	.LC79(%rip), %xmm0
	vpandd	%xmm18, %xmm7, %xmm13
	vpand	%xmm9, %xmm7, %xmm12
	movl	$-938475521, %r15d
	vbroadcastss	.LC86(%rip), %xmm16
	vcmpps	$10, %xmm0, %xmm18, %k6
	vcmpps	$10, %xmm0, %xmm2, %k5
	vpbroadcastd	%r15d, %xmm4
	movl	$-1124073472, %r15d
	vcmpps	$10, %xmm0, %xmm10, %k7
	vcmpps	$10, %xmm0, %xmm9, %k1
	vpaddd	%xmm4, %xmm17, %xmm11
	vpsrld	$21, %xmm17, %xmm24
	vpsrld	$21, %xmm14, %xmm23
	vaddps	%xmm17, %xmm16, %xmm15
	vcmpps	$1, %xmm1, %xmm18, %k3{%k6}
	vcmpps	$1, %xmm1, %xmm2, %k2{%k5}
	vpandd	%xmm3, %xmm24, %xmm24
	vcmpps	$5, %xmm1, %xmm2, %k5{%k5}
	vcmpps	$1, %xmm1, %xmm10, %k4{%k7}
	vpaddd	%xmm11, %xmm24, %xmm24
	vcmpps	$5, %xmm1, %xmm10, %k7{%k7}
	vcmpps	$5, %xmm1, %xmm18, %k6{%k6}
	vpaddd	%xmm4, %xmm14, %xmm11
	kmovb	%k3, -57(%rsp)
	vcmpps	$1, %xmm1, %xmm9, %k3{%k1}
	vcmpps	$5, %xmm1, %xmm9, %k1{%k1}
	vbroadcastss	.LC83(%rip), %xmm1
	vpsrld	$21, %xmm13, %xmm22
	vpandd	%xmm3, %xmm23, %xmm23
	vmovdqa32	%xmm3, %xmm21{%k4}{z}
	vcmpps	$1, %xmm1, %xmm17, %k0{%k5}
	vpaddd	%xmm11, %xmm23, %xmm23
	vpandd	%xmm3, %xmm22, %xmm22
	vpsrld	$21, %xmm24, %xmm24
	vpsrld	$21, %xmm23, %xmm23
	vpaddd	%xmm4, %xmm13, %xmm11
	vpaddd	%xmm11, %xmm22, %xmm22
	vpsrld	$21, %xmm12, %xmm11
	vpaddd	%xmm4, %xmm12, %xmm4
	kmovb	%k0, %r14d
	vpand	%xmm3, %xmm11, %xmm11
	vcmpps	$1, %xmm1, %xmm14, %k0{%k7}
	vaddps	%xmm14, %xmm16, %xmm25
	vpaddd	%xmm4, %xmm11, %xmm11
	vpsrld	$21, %xmm22, %xmm22
	vmovdqa32	%xmm3, %xmm4{%k2}{z}
	vcmpps	$5, %xmm1, %xmm17, %k5{%k5}
	vcmpps	$5, %xmm1, %xmm14, %k7{%k7}
	vmovdqa32	%xmm22, %xmm26
	kmovb	%k0, %r13d
	vcmpps	$1, %xmm1, %xmm13, %k0{%k6}
	vcmpps	$5, %xmm1, %xmm13, %k6{%k6}
	vmovdqa32	%xmm3, %xmm20{%k3}{z}
	vpsrld	$21, %xmm11, %xmm11
	vpermt2w	%xmm21, %xmm5, %xmm4
	kmovb	%k5, -58(%rsp)
	kmovb	-57(%rsp), %k5
	vmovdqa32	%xmm3, %xmm19{%k5}{z}
	kmovb	%k0, %r12d
	vcmpps	$1, %xmm1, %xmm12, %k0{%k1}
	vpermt2w	%xmm20, %xmm5, %xmm19
	vpermt2b	%xmm19, %xmm8, %xmm4
	vpsllw	$7, %xmm4, %xmm4
	kmovb	%k0, %ebx
	vcmpps	$5, %xmm1, %xmm12, %k0{%k1}
	vcmpps	$14, %xmm0, %xmm2, %k1
	vmovdqa32	%xmm24, %xmm1
	korb	%k2, %k1, %k2
	vcmpps	$14, %xmm0, %xmm10, %k1
	kmovb	%k0, -59(%rsp)
	vcmpps	$14, %xmm0, %xmm9, %k0
	vpsrld	$24, %xmm10, %xmm10
	vpsrld	$24, %xmm9, %xmm9
	korb	%k4, %k1, %k4
	vcmpps	$14, %xmm0, %xmm18, %k1
	korb	%k3, %k0, %k3
	vpbroadcastd	%r15d, %xmm0
	korb	%k5, %k1, %k1
	kmovb	%r14d, %k5
	vpaddd	%xmm0, %xmm15, %xmm1{%k5}
	vmovdqa32	%xmm23, %xmm15
	kmovb	%r13d, %k5
	vpaddd	%xmm0, %xmm25, %xmm15{%k5}
	vaddps	%xmm13, %xmm16, %xmm25
	kmovb	%r12d, %k5
	vaddps	%xmm12, %xmm16, %xmm16
	vmovdqa32	%xmm23, %xmm15{%k7}
	vpaddd	%xmm0, %xmm25, %xmm26{%k5}
	vmovdqa32	%xmm11, %xmm25
	kmovb	%ebx, %k5
	movl	$123, %ebx
	vpaddd	%xmm0, %xmm16, %xmm25{%k5}
	vpblendmd	%xmm22, %xmm26, %xmm0{%k6}
	kmovb	-58(%rsp), %k5
	kmovb	-59(%rsp), %k6
	vmovdqa32	%xmm24, %xmm1{%k5}
	vpblendmd	%xmm11, %xmm25, %xmm16{%k6}
	vpbroadcastd	%ebx, %xmm0{%k1}
	vpbroadcastd	%ebx, %xmm1{%k2}
	vpbroadcastd	%ebx, %xmm15{%k4}
	vpbroadcastd	%ebx, %xmm16{%k3}
	movl	$1197473792, %ebx
	vpbroadcastd	%ebx, %xmm17{%k2}
	vpbroadcastd	%ebx, %xmm14{%k4}
	kshiftlb	$4, %k4, %k4
	vpbroadcastd	%ebx, %xmm13{%k1}
	vpbroadcastd	%ebx, %xmm12{%k3}
	vmovdqa	%xmm0, %xmm11
	movl	$15, %ebx
	kshiftlb	$4, %k3, %k3
	vpsrld	$24, %xmm2, %xmm0
	vpsrld	$24, %xmm18, %xmm2
	kmovb	%ebx, %k0
	movl	$-128, %ebx
	vpermt2w	%xmm9, %xmm5, %xmm2
	vpermt2w	%xmm10, %xmm5, %xmm0
	kandb	%k0, %k2, %k2
	kandb	%k0, %k1, %k1
	vpbroadcastb	%ebx, %xmm19
	vpermt2b	%xmm2, %xmm8, %xmm0
	korb	%k4, %k2, %k2
	korb	%k3, %k1, %k1
	vpandq	%xmm4, %xmm19, %xmm4
	movl	$2139095040, %ebx
	vpandq	%xmm19, %xmm0, %xmm0
	kunpckbw	%k2, %k1, %k1
	vmovdqu8	%xmm4, %xmm0{%k1}
	vpbroadcastd	%ebx, %xmm4
	movl	$127, %ebx
	vpcmpud	$2, %xmm4, %xmm17, %k1
	vpbroadcastd	%ebx, %xmm2
	vpblendmd	%xmm1, %xmm2, %xmm1{%k1}
	vpcmpud	$2, %xmm4, %xmm14, %k1
	vpblendmd	%xmm15, %xmm2, %xmm15{%k1}
	vpcmpud	$2, %xmm4, %xmm13, %k1
	vpermt2w	%xmm15, %xmm5, %xmm1
	vpblendmd	%xmm11, %xmm2, %xmm11{%k1}
	vpcmpud	$2, %xmm4, %xmm12, %k1
	vmovdqa32	%xmm16, %xmm2{%k1}
	vpermt2w	%xmm2, %xmm5, %xmm11
	vpermt2b	%xmm11, %xmm8, %xmm1
	vpor	%xmm0, %xmm1, %xmm0
.L913:
	vmovdqa	%xmm0, -56(%rsp)
.L911:
	leaq	-1(%rsi), %rbx
	cmpq	$16, %rsi
	jne	.L914
	vmovdqa	-56(%rsp), %xmm4
	vmovdqu8	%xmm4, (%rax,%rcx)
.L915:
	addq	$16, %rcx
	addq	$64, %rdx
	cmpq	%r10, %rcx
	je	.L1051
.L918:
	movq	%r8, %rdi
	movl	$16, %esi
	subq	%rcx, %rdi
	cmpq	%rsi, %rdi
	cmovle	%rdi, %rsi
	cmpq	$15, %rdi
	jle	.L870
	vmovups	(%rdx), %zmm0
	vdivps	%zmm6, %zmm0, %zmm0
	cmpl	$5, %r9d
	je	.L1052
.L878:
	vmovdqa	%xmm0, %xmm2
	cmpl	$3, %r9d
	jne	.L912
	vbroadcastss	.LC60(%rip), %xmm10
	vpandd	%xmm2, %xmm7, %xmm16
	vbroadcastss	.LC62(%rip), %xmm1
	vextracti32x4	$1, %zmm0, %xmm17
	vbroadcastss	.LC65(%rip), %xmm9
	vextracti32x4	$2, %zmm0, %xmm4
	vpsrld	$20, %xmm16, %xmm25
	vpandd	%xmm17, %xmm7, %xmm13
	vcmpps	$10, %xmm10, %xmm2, %k5
	vcmpps	$10, %xmm10, %xmm17, %k7
	vpand	%xmm4, %xmm7, %xmm12
	movl	$-1006108673, %r15d
	vcmpps	$10, %xmm10, %xmm4, %k6
	vextracti32x4	$3, %zmm0, %xmm0
	vbroadcastss	.LC69(%rip), %xmm15
	vpandd	%xmm3, %xmm25, %xmm25
	vpsrld	$20, %xmm13, %xmm24
	vpsrld	$20, %xmm12, %xmm23
	vpand	%xmm0, %xmm7, %xmm11
	vcmpps	$1, %xmm1, %xmm2, %k2{%k5}
	vcmpps	$5, %xmm1, %xmm2, %k5{%k5}
	vpandd	%xmm3, %xmm24, %xmm24
	vcmpps	$1, %xmm1, %xmm17, %k4{%k7}
	vcmpps	$5, %xmm1, %xmm17, %k7{%k7}
	vpandd	%xmm3, %xmm23, %xmm23
	vcmpps	$1, %xmm1, %xmm4, %k3{%k6}
	vcmpps	$10, %xmm10, %xmm0, %k1
	vaddps	%xmm12, %xmm15, %xmm26
	vcmpps	$1, %xmm9, %xmm16, %k0{%k5}
	vcmpps	$5, %xmm1, %xmm4, %k6{%k6}
	vcmpps	$5, %xmm9, %xmm16, %k5{%k5}
	vpsrld	$20, %xmm11, %xmm18
	vmovdqa32	%xmm3, %xmm22{%k4}{z}
	kmovb	%k3, -57(%rsp)
	vcmpps	$1, %xmm1, %xmm0, %k3{%k1}
	vcmpps	$5, %xmm1, %xmm0, %k1{%k1}
	vpbroadcastd	%r15d, %xmm1
	kmovb	%k0, %r14d
	vcmpps	$1, %xmm9, %xmm13, %k0{%k7}
	vcmpps	$5, %xmm9, %xmm13, %k7{%k7}
	vpaddd	%xmm1, %xmm16, %xmm14
	vpaddd	%xmm14, %xmm25, %xmm25
	vpaddd	%xmm1, %xmm13, %xmm14
	vpandd	%xmm3, %xmm18, %xmm18
	movl	$-1182793728, %r15d
	vpsrld	$20, %xmm25, %xmm25
	vpaddd	%xmm14, %xmm24, %xmm24
	vpaddd	%xmm1, %xmm12, %xmm14
	kmovb	%k5, -58(%rsp)
	kmovb	%k0, %r13d
	vcmpps	$1, %xmm9, %xmm12, %k0{%k6}
	vcmpps	$5, %xmm9, %xmm12, %k6{%k6}
	vpaddd	%xmm1, %xmm11, %xmm1
	vpbroadcastd	%r15d, %xmm19
	kmovb	-57(%rsp), %k5
	vpsrld	$20, %xmm24, %xmm24
	vpaddd	%xmm1, %xmm18, %xmm18
	vmovdqa32	%xmm25, %xmm1
	vpsrld	$20, %xmm18, %xmm18
	vmovdqa32	%xmm3, %xmm20{%k5}{z}
	kmovb	%k0, %r12d
	vpaddd	%xmm14, %xmm23, %xmm23
	vmovdqa32	%xmm24, %xmm14
	vmovdqa32	%xmm3, %xmm21{%k3}{z}
	vcmpps	$1, %xmm9, %xmm11, %k0{%k1}
	vpsrld	$20, %xmm23, %xmm23
	vpermt2w	%xmm21, %xmm5, %xmm20
	kmovb	%k0, %ebx
	vcmpps	$5, %xmm9, %xmm11, %k0{%k1}
	vcmpps	$14, %xmm10, %xmm2, %k1
	vmovdqa32	%xmm3, %xmm9{%k2}{z}
	vpermt2w	%xmm22, %xmm5, %xmm9
	vpsrld	$24, %xmm2, %xmm2
	vpermt2b	%xmm20, %xmm8, %xmm9
	korb	%k2, %k1, %k2
	kmovb	%k0, -59(%rsp)
	vpsllw	$7, %xmm9, %xmm9
	vcmpps	$14, %xmm10, %xmm17, %k1
	vcmpps	$14, %xmm10, %xmm0, %k0
	vpsrld	$24, %xmm17, %xmm17
	vpsrld	$24, %xmm0, %xmm0
	vpermt2w	%xmm17, %xmm5, %xmm2
	korb	%k4, %k1, %k4
	vcmpps	$14, %xmm10, %xmm4, %k1
	vpsrld	$24, %xmm4, %xmm4
	vaddps	%xmm16, %xmm15, %xmm10
	korb	%k3, %k0, %k3
	vpermt2w	%xmm0, %xmm5, %xmm4
	vpermt2b	%xmm4, %xmm8, %xmm2
	korb	%k5, %k1, %k1
	kmovb	%r14d, %k5
	vpaddd	%xmm19, %xmm10, %xmm1{%k5}
	vaddps	%xmm13, %xmm15, %xmm10
	vaddps	%xmm11, %xmm15, %xmm15
	kmovb	%r13d, %k5
	vpaddd	%xmm19, %xmm10, %xmm14{%k5}
	vmovdqa32	%xmm23, %xmm10
	kmovb	%r12d, %k5
	vpaddd	%xmm19, %xmm26, %xmm10{%k5}
	vmovdqa32	%xmm18, %xmm26
	kmovb	%ebx, %k5
	vmovdqa32	%xmm24, %xmm14{%k7}
	vpaddd	%xmm19, %xmm15, %xmm26{%k5}
	movl	$126, %ebx
	vmovdqa32	%xmm23, %xmm10{%k6}
	kmovb	-58(%rsp), %k5
	kmovb	-59(%rsp), %k6
	vmovdqa32	%xmm25, %xmm1{%k5}
	vpblendmd	%xmm18, %xmm26, %xmm15{%k6}
	vpbroadcastd	%ebx, %xmm14{%k4}
	vpbroadcastd	%ebx, %xmm1{%k2}
	vpbroadcastd	%ebx, %xmm10{%k1}
	vpbroadcastd	%ebx, %xmm15{%k3}
	movl	$1138753536, %ebx
	vpbroadcastd	%ebx, %xmm16{%k2}
	vpbroadcastd	%ebx, %xmm13{%k4}
	kshiftlb	$4, %k4, %k4
	vpbroadcastd	%ebx, %xmm12{%k1}
	vpbroadcastd	%ebx, %xmm11{%k3}
	movl	$15, %ebx
	kshiftlb	$4, %k3, %k3
	kmovb	%ebx, %k0
	movl	$-128, %ebx
	kandb	%k0, %k2, %k2
	kandb	%k0, %k1, %k1
	vpbroadcastb	%ebx, %xmm18
	movl	$2139095040, %ebx
	korb	%k4, %k2, %k2
	korb	%k3, %k1, %k1
	vpandq	%xmm9, %xmm18, %xmm9
	vpandq	%xmm18, %xmm2, %xmm2
	kunpckbw	%k2, %k1, %k1
	vmovdqu8	%xmm9, %xmm2{%k1}
	vpbroadcastd	%ebx, %xmm9
	movl	$127, %ebx
	vpcmpud	$2, %xmm9, %xmm16, %k1
	vpbroadcastd	%ebx, %xmm4
	vpblendmd	%xmm1, %xmm4, %xmm0{%k1}
	vpcmpud	$2, %xmm9, %xmm13, %k1
	vpblendmd	%xmm14, %xmm4, %xmm14{%k1}
	vpcmpud	$2, %xmm9, %xmm12, %k1
	vpermt2w	%xmm14, %xmm5, %xmm0
	vpblendmd	%xmm10, %xmm4, %xmm10{%k1}
	vpcmpud	$2, %xmm9, %xmm11, %k1
	vmovdqa32	%xmm15, %xmm4{%k1}
	vpermt2w	%xmm4, %xmm5, %xmm10
	vpermt2b	%xmm10, %xmm8, %xmm0
	vpor	%xmm2, %xmm0, %xmm0
	jmp	.L913
	.p2align 4,,10
	.p2align 3
.L1051:
	vzeroupper
.L1049:
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L914:
	.cfi_restore_state
	cmpq	$6, %rbx
	jbe	.L969
	movq	-56(%rsp), %rbx
	movq	%rbx, (%rax,%rcx)
	cmpq	$8, %rdi
	je	.L915
	movl	$8, %edi
.L916:
	movzbl	-56(%rsp,%rdi), %r12d
	leaq	(%rax,%rdi), %rbx
	movb	%r12b, (%rbx,%rcx)
	leaq	1(%rdi), %rbx
	cmpq	%rbx, %rsi
	jle	.L915
	leaq	(%rax,%rbx), %r12
	movzbl	-55(%rsp,%rdi), %ebx
	movb	%bl, (%r12,%rcx)
	leaq	2(%rdi), %rbx
	cmpq	%rbx, %rsi
	jle	.L915
	movzbl	-54(%rsp,%rdi), %r13d
	leaq	(%rax,%rcx), %r12
	leaq	3(%rdi), %rbx
	movb	%r13b, 2(%rdi,%r12)
	cmpq	%rbx, %rsi
	jle	.L915
	leaq	(%rax,%rbx), %r13
	movzbl	-53(%rsp,%rdi), %ebx
	movb	%bl, 0(%r13,%rcx)
	leaq	4(%rdi), %rbx
	cmpq	%rbx, %rsi
	jle	.L915
	leaq	(%rax,%rbx), %r13
	movzbl	-52(%rsp,%rdi), %ebx
	movb	%bl, 0(%r13,%rcx)
	leaq	5(%rdi), %rbx
	cmpq	%rbx, %rsi
	jle	.L915
	movzbl	-51(%rsp,%rdi), %r13d
	addq	$6, %rdi
	movb	%r13b, -1(%rdi,%r12)
	cmpq	%rdi, %rsi
	jle	.L915
	movzbl	-56(%rsp,%rdi), %esi
	movb	%sil, (%r12,%rdi)
	jmp	.L915
	.p2align 4,,10
	.p2align 3
.L870:
	vpxor	%xmm0, %xmm0, %xmm0
	leaq	0(,%rsi,4), %r13
	movq	%r11, %r12
	movq	%rdx, %rbx
	vmovdqa64	%zmm0, -56(%rsp)
	cmpl	$8, %r13d
	jnb	.L1053
.L872:
	andl	$4, %r13d
	je	.L877
	movl	(%rbx), %ebx
	movl	%ebx, (%r12)
.L877:
	vmovaps	-56(%rsp), %zmm0
	vdivps	%zmm6, %zmm0, %zmm0
	cmpl	$5, %r9d
	jne	.L878
.L1052:
	vbroadcastss	.LC56(%rip), %zmm1
	movl	$0, %ebx
	vbroadcastss	.LC58(%rip), %zmm2
	vmaxps	%zmm0, %zmm1, %zmm0
	vrndscaleps	$8, %zmm0, %zmm0
	vxorps	%zmm2, %zmm0, %zmm0
	vmaxps	%zmm0, %zmm1, %zmm0
	vxorps	%zmm2, %zmm0, %zmm0
	vshufps	$85, %xmm0, %xmm0, %xmm4
	vshufps	$255, %xmm0, %xmm0, %xmm2
	vcvttss2sil	%xmm0, %r12d
	vucomiss	%xmm0, %xmm0
	valignd	$7, %ymm0, %ymm0, %ymm1
	cmovp	%ebx, %r12d
	vucomiss	%xmm4, %xmm4
	movb	%r12b, -56(%rsp)
	vcvttss2sil	%xmm4, %r12d
	vunpckhps	%xmm0, %xmm0, %xmm4
	cmovp	%ebx, %r12d
	vucomiss	%xmm4, %xmm4
	movb	%r12b, -55(%rsp)
	vcvttss2sil	%xmm4, %r12d
	cmovp	%ebx, %r12d
	vucomiss	%xmm2, %xmm2
	movb	%r12b, -54(%rsp)
	vcvttss2sil	%xmm2, %r12d
	vextractf32x4	$1, %ymm0, %xmm2
	cmovp	%ebx, %r12d
	movb	%r12b, -53(%rsp)
	vucomiss	%xmm2, %xmm2
	vcvttss2sil	%xmm2, %r12d
	valignd	$5, %ymm0, %ymm0, %ymm2
	cmovp	%ebx, %r12d
	movb	%r12b, -52(%rsp)
	vucomiss	%xmm2, %xmm2
	vcvttss2sil	%xmm2, %r12d
	valignd	$6, %ymm0, %ymm0, %ymm2
	vextractf32x8	$0x1, %zmm0, %ymm0
	cmovp	%ebx, %r12d
	movb	%r12b, -51(%rsp)
	vcvttss2sil	%xmm2, %r12d
	vucomiss	%xmm2, %xmm2
	vshufps	$85, %xmm0, %xmm0, %xmm2
	cmovp	%ebx, %r12d
	vucomiss	%xmm1, %xmm1
	movb	%r12b, -50(%rsp)
	vcvttss2sil	%xmm1, %r12d
	vshufps	$255, %xmm0, %xmm0, %xmm1
	cmovp	%ebx, %r12d
	vucomiss	%xmm0, %xmm0
	movb	%r12b, -49(%rsp)
	vcvttss2sil	%xmm0, %r12d
	cmovp	%ebx, %r12d
	vucomiss	%xmm2, %xmm2
	movb	%r12b, -48(%rsp)
	vcvttss2sil	%xmm2, %r12d
	vunpckhps	%xmm0, %xmm0, %xmm2
	cmovp	%ebx, %r12d
	vucomiss	%xmm2, %xmm2
	movb	%r12b, -47(%rsp)
	vcvttss2sil	%xmm2, %r12d
	cmovp	%ebx, %r12d
	vucomiss	%xmm1, %xmm1
	movb	%r12b, -46(%rsp)
	vcvttss2sil	%xmm1, %r12d
	vextractf32x4	$1, %ymm0, %xmm1
	cmovp	%ebx, %r12d
	movb	%r12b, -45(%rsp)
	vucomiss	%xmm1, %xmm1
	vcvttss2sil	%xmm1, %r12d
	valignd	$5, %ymm0, %ymm0, %ymm1
	cmovp	%ebx, %r12d
	movb	%r12b, -44(%rsp)
	vucomiss	%xmm1, %xmm1
	vcvttss2sil	%xmm1, %r12d
	valignd	$6, %ymm0, %ymm0, %ymm1
	valignd	$7, %ymm0, %ymm0, %ymm0
	cmovp	%ebx, %r12d
	movb	%r12b, -43(%rsp)
	vcvttss2sil	%xmm1, %r12d
	vucomiss	%xmm1, %xmm1
	cmovp	%ebx, %r12d
	vucomiss	%xmm0, %xmm0
	movb	%r12b, -42(%rsp)
	vcvttss2sil	%xmm0, %r12d
	cmovnp	%r12d, %ebx
	movb	%bl, -41(%rsp)
	jmp	.L911
	.p2align 4,,10
	.p2align 3
.L767:
	testq	%r8, %r8
	jle	.L1049
	leaq	-1(%r8), %r10
	movl	$2147483647, %edx
	leaq	-56(%rsp), %r11
	xorl	%esi, %esi
	andq	$-16, %r10
	vbroadcastss	%xmm0, %zmm7
	vmovdqa	.LC73(%rip), %xmm5
	vmovdqa	.LC74(%rip), %xmm8
	addq	$16, %r10
	vpbroadcastd	%edx, %xmm6
	vpbroadcastd	%ebx, %xmm3
	jmp	.L819
	.p2align 4,,10
	.p2align 3
.L813:
	vbroadcastss	.LC79(%rip), %xmm9
	vextracti32x4	$1, %zmm0, %xmm18
	vbroadcastss	.LC81(%rip), %xmm1
	vextracti32x4	$2, %zmm0, %xmm10
	vextracti32x4	$3, %zmm0, %xmm0
	vpandd	%xmm2, %xmm6, %xmm17
	vpandd	%xmm18, %xmm6, %xmm14
	movl	$-938475521, %ebx
	vcmpps	$10, %xmm9, %xmm2, %k2
	vpand	%xmm10, %xmm6, %xmm13
	vpand	%xmm0, %xmm6, %xmm12
	vbroadcastss	.LC86(%rip), %xmm16
	vcmpps	$10, %xmm9, %xmm0, %k5
	vcmpps	$10, %xmm9, %xmm18, %k1
	vpbroadcastd	%ebx, %xmm4
	vcmpps	$10, %xmm9, %xmm10, %k6
	vpsrld	$21, %xmm17, %xmm26
	vpaddd	%xmm4, %xmm17, %xmm11
	vcmpps	$1, %xmm1, %xmm2, %k4{%k2}
	vcmpps	$5, %xmm1, %xmm2, %k2{%k2}
	vpandd	%xmm3, %xmm26, %xmm26
	vcmpps	$1, %xmm1, %xmm0, %k3{%k5}
	vcmpps	$5, %xmm1, %xmm0, %k5{%k5}
	vpaddd	%xmm11, %xmm26, %xmm26
	vcmpps	$1, %xmm1, %xmm10, %k0{%k6}
	vcmpps	$5, %xmm1, %xmm10, %k6{%k6}
	vpaddd	%xmm4, %xmm14, %xmm11
	kmovb	%k4, %r15d
	vcmpps	$1, %xmm1, %xmm18, %k4{%k1}
	vcmpps	$5, %xmm1, %xmm18, %k1{%k1}
	vbroadcastss	.LC83(%rip), %xmm1
	vpsrld	$21, %xmm14, %xmm25
	vpsrld	$21, %xmm26, %xmm26
	vmovdqa32	%xmm3, %xmm22{%k3}{z}
	vcmpps	$1, %xmm1, %xmm17, %k7{%k2}
	vcmpps	$5, %xmm1, %xmm17, %k2{%k2}
	vpandd	%xmm3, %xmm25, %xmm25
	vmovdqa32	%xmm3, %xmm23{%k4}{z}
	vpsrld	$21, %xmm12, %xmm19
	vpaddd	%xmm11, %xmm25, %xmm25
	vpandd	%xmm3, %xmm19, %xmm19
	vpaddd	%xmm4, %xmm13, %xmm11
	vpaddd	%xmm4, %xmm12, %xmm4
	kmovb	%k7, %r14d
	kmovb	%k2, -58(%rsp)
	kmovb	%k0, %k2
	vcmpps	$1, %xmm1, %xmm14, %k7{%k1}
	vcmpps	$5, %xmm1, %xmm14, %k1{%k1}
	vpsrld	$21, %xmm25, %xmm25
	vmovdqa32	%xmm3, %xmm21{%k2}{z}
	vcmpps	$14, %xmm9, %xmm2, %k2
	vpaddd	%xmm4, %xmm19, %xmm19
	vmovdqa32	%xmm25, %xmm15
	kmovb	%k7, %r13d
	vcmpps	$1, %xmm1, %xmm13, %k7{%k6}
	vcmpps	$5, %xmm1, %xmm13, %k6{%k6}
	vpermt2w	%xmm22, %xmm5, %xmm21
	kmovb	%k1, %ebx
	vcmpps	$14, %xmm9, %xmm18, %k1
	vpsrld	$21, %xmm13, %xmm24
	vpandd	%xmm3, %xmm24, %xmm24
	vpsrld	$21, %xmm19, %xmm19
	kmovb	%k7, %r12d
	vpaddd	%xmm11, %xmm24, %xmm24
	vmovdqa32	%xmm19, %xmm27
	korb	%k4, %k1, %k4
	vcmpps	$14, %xmm9, %xmm10, %k1
	vcmpps	$1, %xmm1, %xmm12, %k7{%k5}
	vcmpps	$5, %xmm1, %xmm12, %k5{%k5}
	vmovdqa32	%xmm26, %xmm1
	vpsrld	$21, %xmm24, %xmm24
	korb	%k0, %k1, %k1
	kmovb	%k7, -57(%rsp)
	kmovb	%r15d, %k7
	vcmpps	$14, %xmm9, %xmm0, %k0
	vaddps	%xmm17, %xmm16, %xmm9
	movl	$-1124073472, %r15d
	korb	%k7, %k2, %k2
	vmovdqa32	%xmm3, %xmm4{%k7}{z}
	vpbroadcastd	%r15d, %xmm20
	kmovb	%r14d, %k7
	vpsrld	$24, %xmm0, %xmm0
	vmovdqa32	%xmm24, %xmm11
	korb	%k3, %k0, %k3
	vpermt2w	%xmm23, %xmm5, %xmm4
	vpaddd	%xmm20, %xmm9, %xmm1{%k7}
	vaddps	%xmm14, %xmm16, %xmm9
	kmovb	%r13d, %k7
	vpermt2b	%xmm21, %xmm8, %xmm4
	vpsllw	$7, %xmm4, %xmm4
	vpaddd	%xmm20, %xmm9, %xmm15{%k7}
	vaddps	%xmm13, %xmm16, %xmm9
	kmovb	%r12d, %k7
	vaddps	%xmm12, %xmm16, %xmm16
	vpaddd	%xmm20, %xmm9, %xmm11{%k7}
	kmovb	-57(%rsp), %k7
	vpaddd	%xmm20, %xmm16, %xmm27{%k7}
	kmovb	-58(%rsp), %k7
	vmovdqa32	%xmm26, %xmm1{%k7}
	kmovb	%ebx, %k7
	movl	$123, %ebx
	vpblendmd	%xmm19, %xmm27, %xmm16{%k5}
	vmovdqa32	%xmm25, %xmm15{%k7}
	vpbroadcastd	%ebx, %xmm1{%k2}
	vmovdqa32	%xmm24, %xmm11{%k6}
	vpbroadcastd	%ebx, %xmm15{%k4}
	vpbroadcastd	%ebx, %xmm11{%k1}
	vpbroadcastd	%ebx, %xmm16{%k3}
	vmovdqa	%xmm1, %xmm9
	movl	$1197473792, %ebx
	vpsrld	$24, %xmm2, %xmm1
	vpsrld	$24, %xmm18, %xmm2
	vpbroadcastd	%ebx, %xmm17{%k2}
	vpbroadcastd	%ebx, %xmm14{%k4}
	vpbroadcastd	%ebx, %xmm13{%k1}
	vpbroadcastd	%ebx, %xmm12{%k3}
	movl	$15, %ebx
	vpermt2w	%xmm2, %xmm5, %xmm1
	kmovb	%ebx, %k0
	kshiftlb	$4, %k4, %k4
	kandb	%k0, %k2, %k2
	vpsrld	$24, %xmm10, %xmm2
	korb	%k4, %k2, %k2
	kandb	%k0, %k1, %k1
	kshiftlb	$4, %k3, %k3
	vpermt2w	%xmm0, %xmm5, %xmm2
	movl	$-128, %ebx
	vmovdqa	%xmm1, %xmm0
	korb	%k3, %k1, %k1
	vpbroadcastb	%ebx, %xmm19
	vpermt2b	%xmm2, %xmm8, %xmm0
	movl	$2139095040, %ebx
	kunpckbw	%k2, %k1, %k1
	vpandq	%xmm4, %xmm19, %xmm4
	vpandq	%xmm19, %xmm0, %xmm0
	vmovdqu8	%xmm4, %xmm0{%k1}
	vpbroadcastd	%ebx, %xmm4
	movl	$127, %ebx
	vpcmpud	$2, %xmm4, %xmm17, %k1
	vpbroadcastd	%ebx, %xmm2
	vpblendmd	%xmm9, %xmm2, %xmm1{%k1}
	vpcmpud	$2, %xmm4, %xmm14, %k1
	vpblendmd	%xmm15, %xmm2, %xmm15{%k1}
	vpcmpud	$2, %xmm4, %xmm13, %k1
	vpermt2w	%xmm15, %xmm5, %xmm1
	vpblendmd	%xmm11, %xmm2, %xmm11{%k1}
	vpcmpud	$2, %xmm4, %xmm12, %k1
	vmovdqa32	%xmm16, %xmm2{%k1}
	vpermt2w	%xmm2, %xmm5, %xmm11
	vpermt2b	%xmm11, %xmm8, %xmm1
	vpor	%xmm0, %xmm1, %xmm0
.L814:
	vmovdqa	%xmm0, -56(%rsp)
.L812:
	leaq	-1(%rdx), %rbx
	cmpq	$16, %rdx
	jne	.L815
	vmovdqa	-56(%rsp), %xmm4
	vmovdqu8	%xmm4, (%rax,%rsi)
.L816:
	addq	$16, %rsi
	addq	$32, %rdi
	cmpq	%r10, %rsi
	je	.L1051
.L819:
	movq	%r8, %rcx
	movl	$16, %edx
	subq	%rsi, %rcx
	cmpq	%rdx, %rcx
	cmovle	%rcx, %rdx
	cmpq	$15, %rcx
	jle	.L771
	vcvtph2ps	(%rdi), %zmm0
	vdivps	%zmm7, %zmm0, %zmm0
	cmpl	$5, %r9d
	je	.L1054
.L779:
	vmovdqa	%xmm0, %xmm2
	cmpl	$3, %r9d
	jne	.L813
	vbroadcastss	.LC60(%rip), %xmm9
	vpandd	%xmm2, %xmm6, %xmm16
	vbroadcastss	.LC62(%rip), %xmm1
	vextracti32x4	$1, %zmm0, %xmm17
	vpandd	%xmm17, %xmm6, %xmm13
	vpsrld	$20, %xmm16, %xmm25
	movl	$-1006108673, %ebx
	vbroadcastss	.LC65(%rip), %xmm10
	vcmpps	$10, %xmm9, %xmm2, %k5
	vpsrld	$20, %xmm13, %xmm24
	vextracti32x4	$2, %zmm0, %xmm4
	vbroadcastss	.LC69(%rip), %xmm15
	vpand	%xmm4, %xmm6, %xmm12
	vpandd	%xmm3, %xmm25, %xmm25
	vpandd	%xmm3, %xmm24, %xmm24
	vcmpps	$10, %xmm9, %xmm17, %k7
	vcmpps	$10, %xmm9, %xmm4, %k6
	vextracti32x4	$3, %zmm0, %xmm0
	vpand	%xmm0, %xmm6, %xmm11
	vcmpps	$1, %xmm1, %xmm2, %k2{%k5}
	vaddps	%xmm12, %xmm15, %xmm26
	vcmpps	$5, %xmm1, %xmm2, %k5{%k5}
	vcmpps	$10, %xmm9, %xmm0, %k1
	vcmpps	$1, %xmm1, %xmm17, %k4{%k7}
	vcmpps	$5, %xmm1, %xmm17, %k7{%k7}
	vcmpps	$1, %xmm1, %xmm4, %k3{%k6}
	vcmpps	$5, %xmm1, %xmm4, %k6{%k6}
	vcmpps	$1, %xmm10, %xmm16, %k0{%k5}
	vpsrld	$20, %xmm11, %xmm18
	vmovdqa32	%xmm3, %xmm22{%k4}{z}
	vpandd	%xmm3, %xmm18, %xmm18
	kmovb	%k3, %r15d
	vcmpps	$1, %xmm1, %xmm0, %k3{%k1}
	vpsrld	$20, %xmm12, %xmm23
	kmovb	%k0, %r14d
	vcmpps	$1, %xmm10, %xmm13, %k0{%k7}
	vcmpps	$5, %xmm1, %xmm0, %k1{%k1}
	vpbroadcastd	%ebx, %xmm1
	vcmpps	$5, %xmm10, %xmm13, %k7{%k7}
	vpaddd	%xmm1, %xmm16, %xmm14
	vpandd	%xmm3, %xmm23, %xmm23
	vpaddd	%xmm14, %xmm25, %xmm25
	vpaddd	%xmm1, %xmm13, %xmm14
	vmovdqa32	%xmm3, %xmm21{%k3}{z}
	kmovb	%k0, %r13d
	vcmpps	$1, %xmm10, %xmm12, %k0{%k6}
	vpsrld	$20, %xmm25, %xmm25
	vpaddd	%xmm14, %xmm24, %xmm24
	vcmpps	$5, %xmm10, %xmm12, %k6{%k6}
	vpsrld	$20, %xmm24, %xmm24
	vpaddd	%xmm1, %xmm12, %xmm14
	vpaddd	%xmm1, %xmm11, %xmm1
	vpaddd	%xmm14, %xmm23, %xmm23
	vmovdqa32	%xmm24, %xmm14
	kmovb	%k0, %r12d
	vcmpps	$1, %xmm10, %xmm11, %k0{%k1}
	vpaddd	%xmm1, %xmm18, %xmm18
	vmovdqa32	%xmm25, %xmm1
	vpsrld	$20, %xmm23, %xmm23
	vpsrld	$20, %xmm18, %xmm18
	kmovb	%k0, -57(%rsp)
	vcmpps	$5, %xmm10, %xmm16, %k0{%k5}
	kmovb	%r14d, %k5
	kmovb	%k0, %ebx
	vcmpps	$5, %xmm10, %xmm11, %k0{%k1}
	kmovb	%r15d, %k1
	vmovdqa32	%xmm3, %xmm20{%k1}{z}
	vcmpps	$14, %xmm9, %xmm2, %k1
	vmovdqa32	%xmm3, %xmm10{%k2}{z}
	vpermt2w	%xmm21, %xmm5, %xmm20
	vpermt2w	%xmm22, %xmm5, %xmm10
	vpsrld	$24, %xmm2, %xmm2
	kmovb	%k0, -58(%rsp)
	kmovb	%r15d, %k0
	movl	$-1182793728, %r15d
	vpermt2b	%xmm20, %xmm8, %xmm10
	korb	%k2, %k1, %k2
	vpbroadcastd	%r15d, %xmm19
	vpsllw	$7, %xmm10, %xmm10
	vcmpps	$14, %xmm9, %xmm17, %k1
	vpsrld	$24, %xmm17, %xmm17
	vpermt2w	%xmm17, %xmm5, %xmm2
	korb	%k4, %k1, %k4
	vcmpps	$14, %xmm9, %xmm4, %k1
	vpsrld	$24, %xmm4, %xmm4
	korb	%k0, %k1, %k1
	vcmpps	$14, %xmm9, %xmm0, %k0
	vpsrld	$24, %xmm0, %xmm0
	vaddps	%xmm16, %xmm15, %xmm9
	vpermt2w	%xmm0, %xmm5, %xmm4
	vpermt2b	%xmm4, %xmm8, %xmm2
	vpaddd	%xmm19, %xmm9, %xmm1{%k5}
	vaddps	%xmm13, %xmm15, %xmm9
	kmovb	%r13d, %k5
	korb	%k3, %k0, %k3
	vaddps	%xmm11, %xmm15, %xmm15
	vpaddd	%xmm19, %xmm9, %xmm14{%k5}
	vmovdqa32	%xmm23, %xmm9
	kmovb	%r12d, %k5
	vpaddd	%xmm19, %xmm26, %xmm9{%k5}
	vmovdqa32	%xmm18, %xmm26
	kmovb	-57(%rsp), %k5
	vmovdqa32	%xmm24, %xmm14{%k7}
	vpaddd	%xmm19, %xmm15, %xmm26{%k5}
	vmovdqa32	%xmm23, %xmm9{%k6}
	kmovb	%ebx, %k5
	kmovb	-58(%rsp), %k6
	movl	$126, %ebx
	vpblendmd	%xmm18, %xmm26, %xmm15{%k6}
	vmovdqa32	%xmm25, %xmm1{%k5}
	vpbroadcastd	%ebx, %xmm1{%k2}
	vpbroadcastd	%ebx, %xmm14{%k4}
	vpbroadcastd	%ebx, %xmm9{%k1}
	vpbroadcastd	%ebx, %xmm15{%k3}
	movl	$1138753536, %ebx
	vpbroadcastd	%ebx, %xmm16{%k2}
	vpbroadcastd	%ebx, %xmm13{%k4}
	kshiftlb	$4, %k4, %k4
	vpbroadcastd	%ebx, %xmm12{%k1}
	vpbroadcastd	%ebx, %xmm11{%k3}
	movl	$15, %ebx
	kshiftlb	$4, %k3, %k3
	kmovb	%ebx, %k0
	movl	$-128, %ebx
	kandb	%k0, %k2, %k2
	kandb	%k0, %k1, %k1
	vpbroadcastb	%ebx, %xmm18
	movl	$2139095040, %ebx
	korb	%k4, %k2, %k2
	korb	%k3, %k1, %k1
	vpandq	%xmm10, %xmm18, %xmm10
	vpandq	%xmm18, %xmm2, %xmm2
	kunpckbw	%k2, %k1, %k1
	vmovdqu8	%xmm10, %xmm2{%k1}
	vpbroadcastd	%ebx, %xmm10
	movl	$127, %ebx
	vpcmpud	$2, %xmm10, %xmm16, %k1
	vpbroadcastd	%ebx, %xmm4
	vpblendmd	%xmm1, %xmm4, %xmm0{%k1}
	vpcmpud	$2, %xmm10, %xmm13, %k1
	vpblendmd	%xmm14, %xmm4, %xmm14{%k1}
	vpcmpud	$2, %xmm10, %xmm12, %k1
	vpermt2w	%xmm14, %xmm5, %xmm0
	vpblendmd	%xmm9, %xmm4, %xmm9{%k1}
	vpcmpud	$2, %xmm10, %xmm11, %k1
	vmovdqa32	%xmm15, %xmm4{%k1}
	vpermt2w	%xmm4, %xmm5, %xmm9
	vpermt2b	%xmm9, %xmm8, %xmm0
	vpor	%xmm2, %xmm0, %xmm0
	jmp	.L814
.L815:
	cmpq	$6, %rbx
	jbe	.L935
	movq	-56(%rsp), %rbx
	movq	%rbx, (%rax,%rsi)
	cmpq	$8, %rcx
	je	.L816
	movl	$8, %ecx
.L817:
	movzbl	-56(%rsp,%rcx), %r12d
	leaq	(%rax,%rsi), %rbx
	movb	%r12b, (%rbx,%rcx)
	leaq	1(%rcx), %r12
	cmpq	%r12, %rdx
	jle	.L816
	movzbl	-55(%rsp,%rcx), %r13d
	leaq	2(%rcx), %r12
	movb	%r13b, 1(%rcx,%rbx)
	cmpq	%r12, %rdx
	jle	.L816
	movzbl	-54(%rsp,%rcx), %r13d
	leaq	3(%rcx), %r12
	movb	%r13b, 2(%rcx,%rbx)
	cmpq	%r12, %rdx
	jle	.L816
	movzbl	-53(%rsp,%rcx), %r13d
	leaq	4(%rcx), %r12
	movb	%r13b, 3(%rcx,%rbx)
	cmpq	%r12, %rdx
	jle	.L816
	movzbl	-52(%rsp,%rcx), %r13d
	leaq	5(%rcx), %r12
	movb	%r13b, 4(%rcx,%rbx)
	cmpq	%r12, %rdx
	jle	.L816
	movzbl	-51(%rsp,%rcx), %r13d
	addq	$6, %rcx
	movb	%r13b, -1(%rcx,%rbx)
	cmpq	%rcx, %rdx
	jle	.L816
	movzbl	-56(%rsp,%rcx), %edx
	movb	%dl, (%rbx,%rcx)
	jmp	.L816
	.p2align 4,,10
	.p2align 3
.L771:
	vpxor	%xmm0, %xmm0, %xmm0
	leaq	(%rdx,%rdx), %r12
	movq	%r11, %r14
	movq	%rdi, %rbx
	vmovdqa	%ymm0, -56(%rsp)
	cmpl	$8, %r12d
	jnb	.L1055
.L773:
	xorl	%r13d, %r13d
	testb	$4, %r12b
	je	.L776
	movl	(%rbx), %r13d
	movl	%r13d, (%r14)
	movl	$4, %r13d
.L776:
	andl	$2, %r12d
	je	.L778
	movzwl	(%rbx,%r13), %ebx
	movw	%bx, (%r14,%r13)
.L778:
	vcvtph2ps	-56(%rsp), %zmm0
	vdivps	%zmm7, %zmm0, %zmm0
	cmpl	$5, %r9d
	jne	.L779
.L1054:
	vbroadcastss	.LC56(%rip), %zmm1
	movl	$0, %ebx
	vbroadcastss	.LC58(%rip), %zmm2
	vmaxps	%zmm0, %zmm1, %zmm0
	vrndscaleps	$8, %zmm0, %zmm0
	vxorps	%zmm2, %zmm0, %zmm0
	vmaxps	%zmm0, %zmm1, %zmm0
	vxorps	%zmm2, %zmm0, %zmm0
	vshufps	$85, %xmm0, %xmm0, %xmm4
	vshufps	$255, %xmm0, %xmm0, %xmm2
	vcvttss2sil	%xmm0, %r12d
	vucomiss	%xmm0, %xmm0
	valignd	$7, %ymm0, %ymm0, %ymm1
	cmovp	%ebx, %r12d
	vucomiss	%xmm4, %xmm4
	movb	%r12b, -56(%rsp)
	vcvttss2sil	%xmm4, %r12d
	vunpckhps	%xmm0, %xmm0, %xmm4
	cmovp	%ebx, %r12d
	vucomiss	%xmm4, %xmm4
	movb	%r12b, -55(%rsp)
	vcvttss2sil	%xmm4, %r12d
	cmovp	%ebx, %r12d
	vucomiss	%xmm2, %xmm2
	movb	%r12b, -54(%rsp)
	vcvttss2sil	%xmm2, %r12d
	vextractf32x4	$1, %ymm0, %xmm2
	cmovp	%ebx, %r12d
	movb	%r12b, -53(%rsp)
	vucomiss	%xmm2, %xmm2
	vcvttss2sil	%xmm2, %r12d
	valignd	$5, %ymm0, %ymm0, %ymm2
	cmovp	%ebx, %r12d
	movb	%r12b, -52(%rsp)
	vucomiss	%xmm2, %xmm2
	vcvttss2sil	%xmm2, %r12d
	valignd	$6, %ymm0, %ymm0, %ymm2
	vextractf32x8	$0x1, %zmm0, %ymm0
	cmovp	%ebx, %r12d
	movb	%r12b, -51(%rsp)
	vcvttss2sil	%xmm2, %r12d
	vucomiss	%xmm2, %xmm2
	vshufps	$85, %xmm0, %xmm0, %xmm2
	cmovp	%ebx, %r12d
	vucomiss	%xmm1, %xmm1
	movb	%r12b, -50(%rsp)
	vcvttss2sil	%xmm1, %r12d
	vshufps	$255, %xmm0, %xmm0, %xmm1
	cmovp	%ebx, %r12d
	vucomiss	%xmm0, %xmm0
	movb	%r12b, -49(%rsp)
	vcvttss2sil	%xmm0, %r12d
	cmovp	%ebx, %r12d
	vucomiss	%xmm2, %xmm2
	movb	%r12b, -48(%rsp)
	vcvttss2sil	%xmm2, %r12d
	vunpckhps	%xmm0, %xmm0, %xmm2
	cmovp	%ebx, %r12d
	vucomiss	%xmm2, %xmm2
	movb	%r12b, -47(%rsp)
	vcvttss2sil	%xmm2, %r12d
	cmovp	%ebx, %r12d
	vucomiss	%xmm1, %xmm1
	movb	%r12b, -46(%rsp)
	vcvttss2sil	%xmm1, %r12d
	vextractf32x4	$1, %ymm0, %xmm1
	cmovp	%ebx, %r12d
	movb	%r12b, -45(%rsp)
	vucomiss	%xmm1, %xmm1
	vcvttss2sil	%xmm1, %r12d
	valignd	$5, %ymm0, %ymm0, %ymm1
	cmovp	%ebx, %r12d
	movb	%r12b, -44(%rsp)
	vucomiss	%xmm1, %xmm1
	vcvttss2sil	%xmm1, %r12d
	valignd	$6, %ymm0, %ymm0, %ymm1
	valignd	$7, %ymm0, %ymm0, %ymm0
	cmovp	%ebx, %r12d
	movb	%r12b, -43(%rsp)
	vcvttss2sil	%xmm1, %r12d
	vucomiss	%xmm1, %xmm1
	cmovp	%ebx, %r12d
	vucomiss	%xmm0, %xmm0
	movb	%r12b, -42(%rsp)
	vcvttss2sil	%xmm0, %r12d
	cmovnp	%r12d, %ebx
	movb	%bl, -41(%rsp)
	jmp	.L812
	.p2align 4,,10
	.p2align 3
.L768:
	testq	%r8, %r8
	jle	.L1049
	movl	$2147483647, %ecx
	leaq	-1(%r8), %r10
	leaq	-56(%rsp), %r11
	xorl	%edx, %edx
	andq	$-16, %r10
	vpbroadcastd	%ecx, %xmm5
	movl	$1, %ecx
	vmovdqa	.LC73(%rip), %xmm4
	vbroadcastss	%xmm0, %zmm6
	addq	$16, %r10
	vpbroadcastd	%ecx, %xmm3
	vmovdqa	.LC74(%rip), %xmm7
	jmp	.L869
	.p2align 4,,10
	.p2align 3
.L863:
	vbroadcastss	.LC79(%rip), %xmm10
	vextracti32x4	$2, %zmm0, %xmm18
	vbroadcastss	.LC81(%rip), %xmm1
	vextracti32x4	$1, %zmm0, %xmm9
	vextracti32x4	$3, %zmm0, %xmm0
	vpandd	%xmm2, %xmm5, %xmm17
	vpand	%xmm9, %xmm5, %xmm14
	movl	$-938475521, %ebx
	vcmpps	$10, %xmm10, %xmm18, %k6
	vcmpps	$10, %xmm10, %xmm2, %k5
	vpandd	%xmm18, %xmm5, %xmm13
	vbroadcastss	.LC86(%rip), %xmm16
	vcmpps	$10, %xmm10, %xmm9, %k7
	vpand	%xmm0, %xmm5, %xmm12
	vpbroadcastd	%ebx, %xmm8
	vcmpps	$10, %xmm10, %xmm0, %k1
	vpsrld	$21, %xmm17, %xmm26
	vpaddd	%xmm8, %xmm17, %xmm11
	vcmpps	$1, %xmm1, %xmm18, %k3{%k6}
	vcmpps	$1, %xmm1, %xmm2, %k2{%k5}
	vpandd	%xmm3, %xmm26, %xmm26
	vcmpps	$5, %xmm1, %xmm2, %k5{%k5}
	vcmpps	$1, %xmm1, %xmm9, %k4{%k7}
	vpaddd	%xmm11, %xmm26, %xmm26
	vcmpps	$5, %xmm1, %xmm9, %k7{%k7}
	vcmpps	$5, %xmm1, %xmm18, %k6{%k6}
	vpaddd	%xmm8, %xmm14, %xmm11
	kmovb	%k3, %r15d
	vpsrld	$21, %xmm14, %xmm25
	vpsrld	$21, %xmm12, %xmm19
	vcmpps	$1, %xmm1, %xmm0, %k3{%k1}
	vcmpps	$5, %xmm1, %xmm0, %k1{%k1}
	vbroadcastss	.LC83(%rip), %xmm1
	vpandd	%xmm3, %xmm25, %xmm25
	vpaddd	%xmm11, %xmm25, %xmm25
	vpaddd	%xmm8, %xmm13, %xmm11
	vpandd	%xmm3, %xmm19, %xmm19
	vpsrld	$21, %xmm26, %xmm26
	vpsrld	$21, %xmm25, %xmm25
	vpaddd	%xmm8, %xmm12, %xmm8
	vcmpps	$1, %xmm1, %xmm17, %k0{%k5}
	vpaddd	%xmm8, %xmm19, %xmm19
	vmovdqa32	%xmm3, %xmm8{%k2}{z}
	vmovdqa32	%xmm3, %xmm23{%k4}{z}
	vpsrld	$21, %xmm19, %xmm19
	vmovdqa32	%xmm25, %xmm15
	vpsrld	$21, %xmm13, %xmm24
	vmovdqa32	%xmm19, %xmm27
	vmovdqa32	%xmm3, %xmm22{%k3}{z}
	kmovb	%k0, %r14d
	vpandd	%xmm3, %xmm24, %xmm24
	vpermt2w	%xmm23, %xmm4, %xmm8
	vcmpps	$1, %xmm1, %xmm14, %k0{%k7}
	vcmpps	$5, %xmm1, %xmm14, %k7{%k7}
	vpaddd	%xmm11, %xmm24, %xmm24
	vpsrld	$21, %xmm24, %xmm24
	vmovdqa32	%xmm24, %xmm11
	kmovb	%k0, %r13d
	vcmpps	$1, %xmm1, %xmm13, %k0{%k6}
	vcmpps	$5, %xmm1, %xmm13, %k6{%k6}
	kmovb	%k0, %r12d
	vcmpps	$1, %xmm1, %xmm12, %k0{%k1}
	kmovb	%k0, -57(%rsp)
	vcmpps	$5, %xmm1, %xmm17, %k0{%k5}
	kmovb	%r14d, %k5
	kmovb	%k0, %ebx
	vcmpps	$5, %xmm1, %xmm12, %k0{%k1}
	kmovb	%r15d, %k1
	vmovdqa32	%xmm3, %xmm21{%k1}{z}
	vcmpps	$14, %xmm10, %xmm2, %k1
	vmovdqa32	%xmm26, %xmm1
	vpermt2w	%xmm22, %xmm4, %xmm21
	vpermt2b	%xmm21, %xmm7, %xmm8
	kmovb	%k0, -58(%rsp)
	kmovb	%r15d, %k0
	movl	$-1124073472, %r15d
	vpsllw	$7, %xmm8, %xmm8
	korb	%k2, %k1, %k2
	vcmpps	$14, %xmm10, %xmm9, %k1
	vpbroadcastd	%r15d, %xmm20
	vpsrld	$24, %xmm9, %xmm9
	korb	%k4, %k1, %k4
	vcmpps	$14, %xmm10, %xmm18, %k1
	korb	%k0, %k1, %k1
	vcmpps	$14, %xmm10, %xmm0, %k0
	vpsrld	$24, %xmm0, %xmm0
	vaddps	%xmm17, %xmm16, %xmm10
	vpaddd	%xmm20, %xmm10, %xmm1{%k5}
	vaddps	%xmm14, %xmm16, %xmm10
	kmovb	%r13d, %k5
	korb	%k3, %k0, %k3
	vpaddd	%xmm20, %xmm10, %xmm15{%k5}
	vaddps	%xmm13, %xmm16, %xmm10
	kmovb	%r12d, %k5
	vaddps	%xmm12, %xmm16, %xmm16
	vmovdqa32	%xmm25, %xmm15{%k7}
	vpaddd	%xmm20, %xmm10, %xmm11{%k5}
	kmovb	-57(%rsp), %k5
	vpaddd	%xmm20, %xmm16, %xmm27{%k5}
	kmovb	%ebx, %k5
	movl	$123, %ebx
	vmovdqa32	%xmm26, %xmm1{%k5}
	vpbroadcastd	%ebx, %xmm1{%k2}
	vmovdqa32	%xmm24, %xmm11{%k6}
	kmovb	-58(%rsp), %k6
	vpblendmd	%xmm19, %xmm27, %xmm16{%k6}
	vpbroadcastd	%ebx, %xmm15{%k4}
	vpbroadcastd	%ebx, %xmm11{%k1}
	vpbroadcastd	%ebx, %xmm16{%k3}
	movl	$1197473792, %ebx
	vmovdqa	%xmm1, %xmm10
	vpsrld	$24, %xmm2, %xmm1
	vpbroadcastd	%ebx, %xmm17{%k2}
	vpbroadcastd	%ebx, %xmm14{%k4}
	vpbroadcastd	%ebx, %xmm13{%k1}
	kshiftlb	$4, %k4, %k4
	vpbroadcastd	%ebx, %xmm12{%k3}
	vpermt2w	%xmm9, %xmm4, %xmm1
	movl	$15, %ebx
	kshiftlb	$4, %k3, %k3
	vpsrld	$24, %xmm18, %xmm2
	kmovb	%ebx, %k0
	movl	$-128, %ebx
	kandb	%k0, %k2, %k2
	vpermt2w	%xmm0, %xmm4, %xmm2
	vmovdqa	%xmm1, %xmm0
	korb	%k4, %k2, %k2
	kandb	%k0, %k1, %k1
	vpbroadcastb	%ebx, %xmm19
	vpermt2b	%xmm2, %xmm7, %xmm0
	movl	$2139095040, %ebx
	korb	%k3, %k1, %k1
	vpandq	%xmm8, %xmm19, %xmm8
	vpandq	%xmm19, %xmm0, %xmm0
	kunpckbw	%k2, %k1, %k1
	vmovdqu8	%xmm8, %xmm0{%k1}
	vpbroadcastd	%ebx, %xmm8
	movl	$127, %ebx
	vpcmpud	$2, %xmm8, %xmm17, %k1
	vpbroadcastd	%ebx, %xmm2
	vpblendmd	%xmm10, %xmm2, %xmm1{%k1}
	vpcmpud	$2, %xmm8, %xmm14, %k1
	vpblendmd	%xmm15, %xmm2, %xmm15{%k1}
	vpcmpud	$2, %xmm8, %xmm13, %k1
	vpermt2w	%xmm15, %xmm4, %xmm1
	vpblendmd	%xmm11, %xmm2, %xmm11{%k1}
	vpcmpud	$2, %xmm8, %xmm12, %k1
	vmovdqa32	%xmm16, %xmm2{%k1}
	vpermt2w	%xmm2, %xmm4, %xmm11
	vpermt2b	%xmm11, %xmm7, %xmm1
	vpor	%xmm0, %xmm1, %xmm0
.L864:
	vmovdqa	%xmm0, -56(%rsp)
.L862:
	leaq	-1(%rcx), %rbx
	cmpq	$16, %rcx
	jne	.L865
	vmovdqa	-56(%rsp), %xmm2
	vmovdqu8	%xmm2, (%rax,%rdx)
.L866:
	addq	$16, %rdx
	addq	$32, %rdi
	cmpq	%rdx, %r10
	je	.L1051
.L869:
	movq	%r8, %rsi
	movl	$16, %ecx
	subq	%rdx, %rsi
	cmpq	%rcx, %rsi
	cmovle	%rsi, %rcx
	cmpq	$15, %rsi
	jle	.L821
	vpmovzxwd	(%rdi), %zmm0
	vpslld	$16, %zmm0, %zmm0
	vdivps	%zmm6, %zmm0, %zmm0
	cmpl	$5, %r9d
	je	.L1056
.L829:
	vmovdqa	%xmm0, %xmm2
	cmpl	$3, %r9d
	jne	.L863
	vbroadcastss	.LC60(%rip), %xmm10
	vpandd	%xmm2, %xmm5, %xmm16
	vbroadcastss	.LC62(%rip), %xmm1
	vextracti32x4	$1, %zmm0, %xmm17
	vpandd	%xmm17, %xmm5, %xmm13
	vpsrld	$20, %xmm16, %xmm25
	movl	$-1006108673, %ebx
	vbroadcastss	.LC65(%rip), %xmm9
	vcmpps	$10, %xmm10, %xmm2, %k5
	vpsrld	$20, %xmm13, %xmm24
	vextracti32x4	$2, %zmm0, %xmm8
	vbroadcastss	.LC69(%rip), %xmm15
	vpand	%xmm8, %xmm5, %xmm12
	vpandd	%xmm3, %xmm25, %xmm25
	vpandd	%xmm3, %xmm24, %xmm24
	vcmpps	$10, %xmm10, %xmm17, %k7
	vcmpps	$10, %xmm10, %xmm8, %k6
	vextracti32x4	$3, %zmm0, %xmm0
	vpand	%xmm0, %xmm5, %xmm11
	vcmpps	$1, %xmm1, %xmm2, %k2{%k5}
	vaddps	%xmm12, %xmm15, %xmm26
	vcmpps	$5, %xmm1, %xmm2, %k5{%k5}
	vcmpps	$10, %xmm10, %xmm0, %k1
	vcmpps	$1, %xmm1, %xmm17, %k4{%k7}
	vcmpps	$5, %xmm1, %xmm17, %k7{%k7}
	vcmpps	$1, %xmm1, %xmm8, %k3{%k6}
	vcmpps	$5, %xmm1, %xmm8, %k6{%k6}
	vcmpps	$1, %xmm9, %xmm16, %k0{%k5}
	vpsrld	$20, %xmm11, %xmm18
	vmovdqa32	%xmm3, %xmm22{%k4}{z}
	vpandd	%xmm3, %xmm18, %xmm18
	kmovb	%k3, %r15d
	vcmpps	$1, %xmm1, %xmm0, %k3{%k1}
	vpsrld	$20, %xmm12, %xmm23
	kmovb	%k0, %r14d
	vcmpps	$1, %xmm9, %xmm13, %k0{%k7}
	vcmpps	$5, %xmm1, %xmm0, %k1{%k1}
	vpbroadcastd	%ebx, %xmm1
	vcmpps	$5, %xmm9, %xmm13, %k7{%k7}
	vpaddd	%xmm1, %xmm16, %xmm14
	vpandd	%xmm3, %xmm23, %xmm23
	vpaddd	%xmm14, %xmm25, %xmm25
	vpaddd	%xmm1, %xmm13, %xmm14
	vmovdqa32	%xmm3, %xmm21{%k3}{z}
	kmovb	%k0, %r13d
	vcmpps	$1, %xmm9, %xmm12, %k0{%k6}
	vpsrld	$20, %xmm25, %xmm25
	vpaddd	%xmm14, %xmm24, %xmm24
	vcmpps	$5, %xmm9, %xmm12, %k6{%k6}
	vpsrld	$20, %xmm24, %xmm24
	vpaddd	%xmm1, %xmm12, %xmm14
	vpaddd	%xmm1, %xmm11, %xmm1
	vpaddd	%xmm14, %xmm23, %xmm23
	vmovdqa32	%xmm24, %xmm14
	kmovb	%k0, %r12d
	vcmpps	$1, %xmm9, %xmm11, %k0{%k1}
	vpaddd	%xmm1, %xmm18, %xmm18
	vmovdqa32	%xmm25, %xmm1
	vpsrld	$20, %xmm23, %xmm23
	vpsrld	$20, %xmm18, %xmm18
	kmovb	%k0, -57(%rsp)
	vcmpps	$5, %xmm9, %xmm16, %k0{%k5}
	kmovb	%r14d, %k5
	kmovb	%k0, %ebx
	vcmpps	$5, %xmm9, %xmm11, %k0{%k1}
	kmovb	%r15d, %k1
	vmovdqa32	%xmm3, %xmm20{%k1}{z}
	vcmpps	$14, %xmm10, %xmm2, %k1
	vmovdqa32	%xmm3, %xmm9{%k2}{z}
	vpermt2w	%xmm21, %xmm4, %xmm20
	vpermt2w	%xmm22, %xmm4, %xmm9
	vpsrld	$24, %xmm2, %xmm2
	kmovb	%k0, -58(%rsp)
	kmovb	%r15d, %k0
	movl	$-1182793728, %r15d
	vpermt2b	%xmm20, %xmm7, %xmm9
	korb	%k2, %k1, %k2
	vpbroadcastd	%r15d, %xmm19
	vpsllw	$7, %xmm9, %xmm9
	vcmpps	$14, %xmm10, %xmm17, %k1
	vpsrld	$24, %xmm17, %xmm17
	vpermt2w	%xmm17, %xmm4, %xmm2
	korb	%k4, %k1, %k4
	vcmpps	$14, %xmm10, %xmm8, %k1
	vpsrld	$24, %xmm8, %xmm8
	korb	%k0, %k1, %k1
	vcmpps	$14, %xmm10, %xmm0, %k0
	vpsrld	$24, %xmm0, %xmm0
	vaddps	%xmm16, %xmm15, %xmm10
	vpermt2w	%xmm0, %xmm4, %xmm8
	vpermt2b	%xmm8, %xmm7, %xmm2
	vpaddd	%xmm19, %xmm10, %xmm1{%k5}
	vaddps	%xmm13, %xmm15, %xmm10
	kmovb	%r13d, %k5
	korb	%k3, %k0, %k3
	vaddps	%xmm11, %xmm15, %xmm15
	vpaddd	%xmm19, %xmm10, %xmm14{%k5}
	vmovdqa32	%xmm23, %xmm10
	kmovb	%r12d, %k5
	vpaddd	%xmm19, %xmm26, %xmm10{%k5}
	vmovdqa32	%xmm18, %xmm26
	kmovb	-57(%rsp), %k5
	vmovdqa32	%xmm24, %xmm14{%k7}
	vpaddd	%xmm19, %xmm15, %xmm26{%k5}
	vmovdqa32	%xmm23, %xmm10{%k6}
	kmovb	%ebx, %k5
	kmovb	-58(%rsp), %k6
	movl	$126, %ebx
	vpblendmd	%xmm18, %xmm26, %xmm15{%k6}
	vmovdqa32	%xmm25, %xmm1{%k5}
	vpbroadcastd	%ebx, %xmm1{%k2}
	vpbroadcastd	%ebx, %xmm14{%k4}
	vpbroadcastd	%ebx, %xmm10{%k1}
	vpbroadcastd	%ebx, %xmm15{%k3}
	movl	$1138753536, %ebx
	vpbroadcastd	%ebx, %xmm16{%k2}
	vpbroadcastd	%ebx, %xmm13{%k4}
	kshiftlb	$4, %k4, %k4
	vpbroadcastd	%ebx, %xmm12{%k1}
	vpbroadcastd	%ebx, %xmm11{%k3}
	movl	$15, %ebx
	kshiftlb	$4, %k3, %k3
	kmovb	%ebx, %k0
	movl	$-128, %ebx
	kandb	%k0, %k2, %k2
	kandb	%k0, %k1, %k1
	vpbroadcastb	%ebx, %xmm18
	movl	$2139095040, %ebx
	korb	%k4, %k2, %k2
	korb	%k3, %k1, %k1
	vpandq	%xmm9, %xmm18, %xmm9
	vpandq	%xmm18, %xmm2, %xmm2
	kunpckbw	%k2, %k1, %k1
	vmovdqu8	%xmm9, %xmm2{%k1}
	vpbroadcastd	%ebx, %xmm9
	movl	$127, %ebx
	vpcmpud	$2, %xmm9, %xmm16, %k1
	vpbroadcastd	%ebx, %xmm8
	vpblendmd	%xmm1, %xmm8, %xmm0{%k1}
	vpcmpud	$2, %xmm9, %xmm13, %k1
	vpblendmd	%xmm14, %xmm8, %xmm14{%k1}
	vpcmpud	$2, %xmm9, %xmm12, %k1
	vpermt2w	%xmm14, %xmm4, %xmm0
	vpblendmd	%xmm10, %xmm8, %xmm10{%k1}
	vpcmpud	$2, %xmm9, %xmm11, %k1
	vmovdqa32	%xmm15, %xmm8{%k1}
	vpermt2w	%xmm8, %xmm4, %xmm10
	vpermt2b	%xmm10, %xmm7, %xmm0
	vpor	%xmm2, %xmm0, %xmm0
	jmp	.L864
.L865:
	cmpq	$6, %rbx
	jbe	.L952
	movq	-56(%rsp), %rbx
	movq	%rbx, (%rax,%rdx)
	cmpq	$8, %rsi
	je	.L866
	movl	$8, %esi
.L867:
	movzbl	-56(%rsp,%rsi), %r12d
	leaq	(%rax,%rdx), %rbx
	movb	%r12b, (%rbx,%rsi)
	leaq	1(%rsi), %r12
	cmpq	%r12, %rcx
	jle	.L866
	movzbl	-55(%rsp,%rsi), %r13d
	leaq	2(%rsi), %r12
	movb	%r13b, 1(%rbx,%rsi)
	cmpq	%r12, %rcx
	jle	.L866
	movzbl	-54(%rsp,%rsi), %r13d
	leaq	3(%rsi), %r12
	movb	%r13b, 2(%rbx,%rsi)
	cmpq	%r12, %rcx
	jle	.L866
	movzbl	-53(%rsp,%rsi), %r13d
	leaq	4(%rsi), %r12
	movb	%r13b, 3(%rbx,%rsi)
	cmpq	%r12, %rcx
	jle	.L866
	movzbl	-52(%rsp,%rsi), %r13d
	movb	%r13b, 4(%rbx,%rsi)
	leaq	5(%rsi), %rbx
	cmpq	%rbx, %rcx
	jle	.L866
	leaq	(%rax,%rbx), %r12
	movzbl	-51(%rsp,%rsi), %ebx
	addq	$6, %rsi
	movb	%bl, (%r12,%rdx)
	cmpq	%rsi, %rcx
	jle	.L866
	leaq	(%rax,%rsi), %rcx
	movzbl	-56(%rsp,%rsi), %esi
	movb	%sil, (%rcx,%rdx)
	jmp	.L866
	.p2align 4,,10
	.p2align 3
.L821:
	vpxor	%xmm0, %xmm0, %xmm0
	leaq	(%rcx,%rcx), %r12
	movq	%r11, %r14
	movq	%rdi, %rbx
	vmovdqa	%ymm0, -56(%rsp)
	cmpl	$8, %r12d
	jnb	.L1057
.L823:
	xorl	%r13d, %r13d
	testb	$4, %r12b
	je	.L826
	movl	(%rbx), %r13d
	movl	%r13d, (%r14)
	movl	$4, %r13d
.L826:
	andl	$2, %r12d
	je	.L828
	movzwl	(%rbx,%r13), %ebx
	movw	%bx, (%r14,%r13)
.L828:
	vpmovzxwd	-56(%rsp), %zmm0
	vpslld	$16, %zmm0, %zmm0
	vdivps	%zmm6, %zmm0, %zmm0
	cmpl	$5, %r9d
	jne	.L829
.L1056:
	vbroadcastss	.LC56(%rip), %zmm1
	movl	$0, %ebx
	vbroadcastss	.LC58(%rip), %zmm2
	vmaxps	%zmm0, %zmm1, %zmm0
	vrndscaleps	$8, %zmm0, %zmm0
	vxorps	%zmm2, %zmm0, %zmm0
	vmaxps	%zmm0, %zmm1, %zmm0
	vxorps	%zmm2, %zmm0, %zmm0
	vshufps	$85, %xmm0, %xmm0, %xmm8
	vshufps	$255, %xmm0, %xmm0, %xmm2
	vcvttss2sil	%xmm0, %r12d
	vucomiss	%xmm0, %xmm0
	valignd	$7, %ymm0, %ymm0, %ymm1
	cmovp	%ebx, %r12d
	vucomiss	%xmm8, %xmm8
	movb	%r12b, -56(%rsp)
	vcvttss2sil	%xmm8, %r12d
	vunpckhps	%xmm0, %xmm0, %xmm8
	cmovp	%ebx, %r12d
	vucomiss	%xmm8, %xmm8
	movb	%r12b, -55(%rsp)
	vcvttss2sil	%xmm8, %r12d
	cmovp	%ebx, %r12d
	vucomiss	%xmm2, %xmm2
	movb	%r12b, -54(%rsp)
	vcvttss2sil	%xmm2, %r12d
	vextractf32x4	$1, %ymm0, %xmm2
	cmovp	%ebx, %r12d
	movb	%r12b, -53(%rsp)
	vucomiss	%xmm2, %xmm2
	vcvttss2sil	%xmm2, %r12d
	valignd	$5, %ymm0, %ymm0, %ymm2
	cmovp	%ebx, %r12d
	movb	%r12b, -52(%rsp)
	vucomiss	%xmm2, %xmm2
	vcvttss2sil	%xmm2, %r12d
	valignd	$6, %ymm0, %ymm0, %ymm2
	vextractf32x8	$0x1, %zmm0, %ymm0
	cmovp	%ebx, %r12d
	movb	%r12b, -51(%rsp)
	vcvttss2sil	%xmm2, %r12d
	vucomiss	%xmm2, %xmm2
	vshufps	$85, %xmm0, %xmm0, %xmm2
	cmovp	%ebx, %r12d
	vucomiss	%xmm1, %xmm1
	movb	%r12b, -50(%rsp)
	vcvttss2sil	%xmm1, %r12d
	vshufps	$255, %xmm0, %xmm0, %xmm1
	cmovp	%ebx, %r12d
	vucomiss	%xmm0, %xmm0
	movb	%r12b, -49(%rsp)
	vcvttss2sil	%xmm0, %r12d
	cmovp	%ebx, %r12d
	vucomiss	%xmm2, %xmm2
	movb	%r12b, -48(%rsp)
	vcvttss2sil	%xmm2, %r12d
	vunpckhps	%xmm0, %xmm0, %xmm2
	cmovp	%ebx, %r12d
	vucomiss	%xmm2, %xmm2
	movb	%r12b, -47(%rsp)
	vcvttss2sil	%xmm2, %r12d
	cmovp	%ebx, %r12d
	vucomiss	%xmm1, %xmm1
	movb	%r12b, -46(%rsp)
	vcvttss2sil	%xmm1, %r12d
	vextractf32x4	$1, %ymm0, %xmm1
	cmovp	%ebx, %r12d
	movb	%r12b, -45(%rsp)
	vucomiss	%xmm1, %xmm1
	vcvttss2sil	%xmm1, %r12d
	valignd	$5, %ymm0, %ymm0, %ymm1
	cmovp	%ebx, %r12d
	movb	%r12b, -44(%rsp)
	vucomiss	%xmm1, %xmm1
	vcvttss2sil	%xmm1, %r12d
	valignd	$6, %ymm0, %ymm0, %ymm1
	valignd	$7, %ymm0, %ymm0, %ymm0
	cmovp	%ebx, %r12d
	movb	%r12b, -43(%rsp)
	vcvttss2sil	%xmm1, %r12d
	vucomiss	%xmm1, %xmm1
	cmovp	%ebx, %r12d
	vucomiss	%xmm0, %xmm0
	movb	%r12b, -42(%rsp)
	vcvttss2sil	%xmm0, %r12d
	cmovnp	%r12d, %ebx
	movb	%bl, -41(%rsp)
	jmp	.L862
	.p2align 4,,10
	.p2align 3
.L1057:
	movl	%r12d, %r15d
	xorl	%ebx, %ebx
	andl	$-8, %r15d
.L824:
	movl	%ebx, %r13d
	addl	$8, %ebx
	movq	(%rdi,%r13), %r14
	movq	%r14, (%r11,%r13)
	cmpl	%r15d, %ebx
	jb	.L824
	leaq	(%r11,%rbx), %r14
	addq	%rdi, %rbx
	jmp	.L823
	.p2align 4,,10
	.p2align 3
.L1055:
	movl	%r12d, %r15d
	xorl	%ebx, %ebx
	andl	$-8, %r15d
.L774:
	movl	%ebx, %r13d
	addl	$8, %ebx
	movq	(%rdi,%r13), %r14
	movq	%r14, (%r11,%r13)
	cmpl	%r15d, %ebx
	jb	.L774
	leaq	(%r11,%rbx), %r14
	addq	%rdi, %rbx
	jmp	.L773
	.p2align 4,,10
	.p2align 3
.L1053:
	movl	%r13d, %r15d
	xorl	%ebx, %ebx
	andl	$-8, %r15d
.L873:
	movl	%ebx, %r12d
	addl	$8, %ebx
	movq	(%rdx,%r12), %r14
	movq	%r14, (%r11,%r12)
	cmpl	%r15d, %ebx
	jb	.L873
	leaq	(%r11,%rbx), %r12
	addq	%rdx, %rbx
	jmp	.L872
.L969:
	xorl	%edi, %edi
	jmp	.L916
.L952:
	xorl	%esi, %esi
	jmp	.L867
.L935:
	xorl	%ecx, %ecx
	jmp	.L817
	.cfi_endproc
.LFE6633:
	.size	_ZN10torchpaged12_GLOBAL__N_112quantise_rowEPKcNS_5DTypeEPcS3_fl, .-_ZN10torchpaged12_GLOBAL__N_112quantise_rowEPKcNS_5DTypeEPcS3_fl
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_17partialERKNS_15AttentionParamsEi, @function
_ZN10torchpaged12_GLOBAL__N_17partialERKNS_15AttentionParamsEi:
.LFB6932:
	.cfi_startproc
	cmpl	$2, 24(%rdi)
	movslq	264(%rdi), %rdx
	movslq	%esi, %rsi
	je	.L1062
	addq	$15, %rdx
	movq	%rdx, %rcx
	sarq	$63, %rcx
	shrq	$60, %rcx
	leaq	(%rdx,%rcx), %rax
	andl	$15, %eax
.L1061:
	subq	%rcx, %rax
	subq	%rax, %rdx
	addq	$2, %rdx
	movq	%rdx, %rax
	imulq	%rsi, %rax
	ret
	.p2align 4,,10
	.p2align 3
.L1062:
	addq	$31, %rdx
	movq	%rdx, %rcx
	sarq	$63, %rcx
	shrq	$59, %rcx
	leaq	(%rdx,%rcx), %rax
	andl	$31, %eax
	jmp	.L1061
	.cfi_endproc
.LFE6932:
	.size	_ZN10torchpaged12_GLOBAL__N_17partialERKNS_15AttentionParamsEi, .-_ZN10torchpaged12_GLOBAL__N_17partialERKNS_15AttentionParamsEi
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_15carveINS0_10Bf16EngineEEEmRKNS_15AttentionParamsEPcRNS0_9WorkspaceE.isra.0, @function
_ZN10torchpaged12_GLOBAL__N_15carveINS0_10Bf16EngineEEEmRKNS_15AttentionParamsEPcRNS0_9WorkspaceE.isra.0:
.LFB7925:
	.cfi_startproc
	movslq	%esi, %rsi
	movslq	%edi, %rdi
	movq	%rdx, (%rcx)
	movq	%rsi, %rax
	leaq	62(%rsi), %r8
	movq	%rdi, %r9
	addq	$31, %rax
	cmovns	%rax, %r8
	leaq	6(%rdi), %rax
	sarq	$5, %r8
	addq	$3, %r9
	cmovns	%r9, %rax
	sarq	$2, %rax
	leaq	(%rax,%rax), %r9
	addq	%r9, %rax
	salq	$8, %rax
	leaq	63(%rax), %r11
	sarq	$63, %rax
	shrq	$58, %rax
	leaq	(%r11,%rax), %r10
	andl	$63, %r10d
	subq	%rax, %r10
	leaq	30(%r9), %rax
	subq	%r10, %r11
	addq	$15, %r9
	cmovns	%r9, %rax
	sarq	$4, %rax
	salq	$12, %rax
	leaq	63(%rax), %r10
	sarq	$63, %rax
	shrq	$58, %rax
	leaq	(%r10,%rax), %r9
	andl	$63, %r9d
	subq	%rax, %r9
	subq	%r9, %r10
	movq	%r8, %r9
	leaq	(%r8,%r8,2), %r8
	salq	$13, %r9
	addq	%r11, %r10
	addq	%rdx, %r11
	salq	$12, %r8
	leaq	63(%r9), %rax
	sarq	$63, %r9
	movq	%r11, 8(%rcx)
	shrq	$58, %r9
	leaq	(%rax,%r9), %r11
	andl	$63, %r11d
	subq	%r9, %r11
	subq	%r11, %rax
	leaq	63(%r8), %r11
	sarq	$63, %r8
	leaq	(%r10,%rax), %r9
	shrq	$58, %r8
	addq	%rdx, %r10
	addq	%r9, %rax
	addq	%rdx, %r9
	movq	%r10, 16(%rcx)
	movq	%r9, 24(%rcx)
	leaq	(%rdx,%rax), %r9
	leaq	3072(%rax), %r10
	movq	%r9, 32(%rcx)
	leaq	1536(%rdx,%rax), %r9
	movq	%r9, 40(%rcx)
	leaq	(%r11,%r8), %r9
	andl	$63, %r9d
	subq	%r8, %r9
	subq	%r9, %r11
	leaq	(%rdx,%r10), %r9
	movq	%r9, 48(%rcx)
	leaq	3456(%rdx,%rax), %r9
	leaq	13824(%r10,%r11,2), %r8
	movq	%r9, 56(%rcx)
	leaq	9984(%rax), %r9
	leaq	3840(%rdx,%rax), %rax
	movq	%rax, 64(%rcx)
	leaq	(%r11,%r9), %rax
	addq	%rdx, %r9
	cmpq	%rdi, %rsi
	movq	%r9, 72(%rcx)
	leaq	(%rdx,%rax), %r9
	cmovl	%rdi, %rsi
	movq	%r9, 80(%rcx)
	leaq	384(%rdx,%rax), %r9
	movq	%r9, 88(%rcx)
	leaq	768(%rdx,%rax), %r9
	leaq	6912(%rdx,%rax), %rax
	movq	%rax, 104(%rcx)
	leaq	63(,%rsi,4), %rax
	movq	%rax, %rdi
	movq	%r9, 96(%rcx)
	sarq	$63, %rdi
	shrq	$58, %rdi
	leaq	(%rax,%rdi), %rsi
	andl	$63, %esi
	subq	%rdi, %rsi
	subq	%rsi, %rax
	addq	%r8, %rax
	addq	%rdx, %r8
	leaq	(%rdx,%rax), %rsi
	leaq	1600(%rdx,%rax), %rdx
	movq	%r8, 112(%rcx)
	addq	$3200, %rax
	movq	%rsi, 120(%rcx)
	movq	%rdx, 128(%rcx)
	ret
	.cfi_endproc
.LFE7925:
	.size	_ZN10torchpaged12_GLOBAL__N_15carveINS0_10Bf16EngineEEEmRKNS_15AttentionParamsEPcRNS0_9WorkspaceE.isra.0, .-_ZN10torchpaged12_GLOBAL__N_15carveINS0_10Bf16EngineEEEmRKNS_15AttentionParamsEPcRNS0_9WorkspaceE.isra.0
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_115select_distanceINS0_10MassWeightEEEfPKflRKT_fPf, @function
_ZN10torchpaged12_GLOBAL__N_115select_distanceINS0_10MassWeightEEEfPKflRKT_fPf:
.LFB7157:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	.cfi_offset 15, -24
	movq	%rcx, %r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	movq	%rdi, %r12
	pushq	%rbx
	.cfi_offset 3, -56
	movq	%rsi, %rbx
	xorl	%esi, %esi
	andq	$-64, %rsp
	subq	$24704, %rsp
	movq	%rdx, 8(%rsp)
	leaq	8320(%rsp), %rdi
	movl	$16384, %edx
	vmovss	%xmm0, 56(%rsp)
	call	memset@PLT
	testq	%rbx, %rbx
	vmovss	56(%rsp), %xmm1
	leaq	128(%rsp), %r8
	movq	%rax, %rdi
	jle	.L1065
	movq	8(%rsp), %rax
	leaq	-1(%rbx), %rdx
	leaq	-16(%rbx), %rsi
	movq	%r12, %rcx
	andq	$-16, %rdx
	vbroadcastss	%xmm1, %zmm16
	vbroadcastss	.LC29(%rip), %zmm15
	vbroadcastss	.LC58(%rip), %zmm2
	vbroadcastss	(%rax), %zmm18
	subq	%rdx, %rsi
	vbroadcastss	4(%rax), %zmm17
	leaq	128(%rsp), %r8
	vbroadcastss	.LC31(%rip), %zmm14
	movq	%rbx, %rax
	vbroadcastss	.LC33(%rip), %zmm13
	vpxord	%xmm19, %xmm19, %xmm19
	vbroadcastss	.LC35(%rip), %zmm12
	vpternlogd	$0xFF, %zmm3, %zmm3, %zmm3
	vbroadcastss	.LC37(%rip), %zmm11
	vbroadcastss	.LC39(%rip), %zmm10
	vbroadcastss	.LC41(%rip), %zmm9
	vbroadcastss	.LC43(%rip), %zmm8
	vbroadcastss	.LC45(%rip), %zmm7
	vbroadcastss	.LC47(%rip), %zmm6
	vbroadcastss	.LC49(%rip), %zmm5
	vbroadcastss	.LC94(%rip), %zmm4
	jmp	.L1075
	.p2align 4,,10
	.p2align 3
.L1305:
	vmovups	(%rcx), %zmm20
.L1067:
	vmulps	%zmm18, %zmm20, %zmm0
	vmovaps	%zmm11, %zmm28
	vcmpps	$2, %zmm17, %zmm20, %k1
	vxorps	%zmm2, %zmm0, %zmm0
	vmaxps	%zmm0, %zmm15, %zmm0
	vmulps	%zmm14, %zmm0, %zmm22
	vrndscaleps	$8, %zmm22, %zmm22
	vfmadd231ps	%zmm13, %zmm22, %zmm0
	vfmadd231ps	%zmm12, %zmm22, %zmm0
	vmulps	%zmm0, %zmm0, %zmm21
	vfmadd132ps	%zmm0, %zmm10, %zmm28
	vmovaps	%zmm28, %zmm30
	vfmadd132ps	%zmm0, %zmm9, %zmm30
	vmovaps	%zmm30, %zmm31
	vfmadd132ps	%zmm0, %zmm8, %zmm31
	vmovaps	%zmm31, %zmm29
	vfmadd132ps	%zmm0, %zmm7, %zmm29
	vmovaps	%zmm29, %zmm30
	vfmadd132ps	%zmm0, %zmm6, %zmm30
	vfmadd231ps	%zmm21, %zmm30, %zmm0
	vmovdqa32	%zmm3, %zmm21{%k1}{z}
	vpmovd2m	%zmm21, %k1
	vaddps	%zmm5, %zmm0, %zmm0
	vscalefps	%zmm22, %zmm0, %zmm21{%k1}{z}
	vmulps	%zmm16, %zmm20, %zmm0
	vxorps	%zmm2, %zmm0, %zmm0
	vmaxps	%zmm4, %zmm0, %zmm0
	vcvtss2sd	%xmm21, %xmm21, %xmm25
	vxorps	%zmm2, %zmm0, %zmm0
	vcvttps2dq	%zmm0, %zmm0
	vmovd	%xmm0, %edx
	movslq	%edx, %rdx
	vaddsd	8320(%rsp,%rdx,8), %xmm25, %xmm25
	vmovsd	%xmm25, 8320(%rsp,%rdx,8)
	cmpq	$1, %rax
	jle	.L1074
	vpextrd	$1, %xmm0, %edx
	vshufps	$85, %xmm21, %xmm21, %xmm25
	vcvtss2sd	%xmm25, %xmm25, %xmm25
	movslq	%edx, %rdx
	vaddsd	16512(%rsp,%rdx,8), %xmm25, %xmm25
	vmovsd	%xmm25, 16512(%rsp,%rdx,8)
	cmpq	$2, %rax
	jle	.L1074
	vpextrd	$2, %xmm0, %edx
	vunpckhps	%xmm21, %xmm21, %xmm25
	movslq	%edx, %rdx
	vcvtss2sd	%xmm25, %xmm25, %xmm25
	vaddsd	8320(%rsp,%rdx,8), %xmm25, %xmm25
	vmovsd	%xmm25, 8320(%rsp,%rdx,8)
	cmpq	$3, %rax
	jle	.L1074
	vpextrd	$3, %xmm0, %edx
	vshufps	$255, %xmm21, %xmm21, %xmm20
	vcvtss2sd	%xmm20, %xmm20, %xmm20
	movslq	%edx, %rdx
	vaddsd	16512(%rsp,%rdx,8), %xmm20, %xmm20
	vmovsd	%xmm20, 16512(%rsp,%rdx,8)
	cmpq	$4, %rax
	jle	.L1074
	vextracti32x4	$1, %ymm0, %xmm29
	vextracti32x4	$0x1, %ymm0, %xmm25
	vextractf32x4	$0x1, %ymm21, %xmm22
	vextractf32x4	$1, %ymm21, %xmm20
	vmovd	%xmm29, %edx
	movslq	%edx, %rdx
	vcvtss2sd	%xmm20, %xmm20, %xmm20
	vaddsd	8320(%rsp,%rdx,8), %xmm20, %xmm20
	vmovsd	%xmm20, 8320(%rsp,%rdx,8)
	cmpq	$5, %rax
	jle	.L1074
	vpextrd	$1, %xmm25, %edx
	vshufps	$85, %xmm22, %xmm22, %xmm20
	vcvtss2sd	%xmm20, %xmm20, %xmm20
	movslq	%edx, %rdx
	vaddsd	16512(%rsp,%rdx,8), %xmm20, %xmm20
	vmovsd	%xmm20, 16512(%rsp,%rdx,8)
	cmpq	$6, %rax
	jle	.L1074
	vpextrd	$2, %xmm25, %edx
	vunpckhps	%xmm22, %xmm22, %xmm20
	movslq	%edx, %rdx
	vcvtss2sd	%xmm20, %xmm20, %xmm20
	vaddsd	8320(%rsp,%rdx,8), %xmm20, %xmm20
	vmovsd	%xmm20, 8320(%rsp,%rdx,8)
	cmpq	$7, %rax
	jle	.L1074
	vpextrd	$3, %xmm25, %edx
	vshufps	$255, %xmm22, %xmm22, %xmm20
	vcvtss2sd	%xmm20, %xmm20, %xmm20
	movslq	%edx, %rdx
	vaddsd	16512(%rsp,%rdx,8), %xmm20, %xmm20
	vmovsd	%xmm20, 16512(%rsp,%rdx,8)
	cmpq	$8, %rax
	jle	.L1074
	vextracti32x8	$0x1, %zmm0, %ymm0
	vextractf32x8	$0x1, %zmm21, %ymm21
	vmovd	%xmm0, %edx
	vcvtss2sd	%xmm21, %xmm21, %xmm23
	movslq	%edx, %rdx
	vaddsd	8320(%rsp,%rdx,8), %xmm23, %xmm23
	vmovsd	%xmm23, 8320(%rsp,%rdx,8)
	cmpq	$9, %rax
	jle	.L1074
	vpextrd	$1, %xmm0, %edx
	vshufps	$85, %xmm21, %xmm21, %xmm20
	vcvtss2sd	%xmm20, %xmm20, %xmm20
	movslq	%edx, %rdx
	vaddsd	16512(%rsp,%rdx,8), %xmm20, %xmm20
	vmovsd	%xmm20, 16512(%rsp,%rdx,8)
	cmpq	$10, %rax
	jle	.L1074
	vpextrd	$2, %xmm0, %edx
	vunpckhps	%xmm21, %xmm21, %xmm23
	movslq	%edx, %rdx
	vcvtss2sd	%xmm23, %xmm23, %xmm23
	vaddsd	8320(%rsp,%rdx,8), %xmm23, %xmm23
	vmovsd	%xmm23, 8320(%rsp,%rdx,8)
	cmpq	$11, %rax
	jle	.L1074
	vpextrd	$3, %xmm0, %edx
	vshufps	$255, %xmm21, %xmm21, %xmm20
	vcvtss2sd	%xmm20, %xmm20, %xmm20
	movslq	%edx, %rdx
	vaddsd	16512(%rsp,%rdx,8), %xmm20, %xmm20
	vmovsd	%xmm20, 16512(%rsp,%rdx,8)
	cmpq	$12, %rax
	jle	.L1074
	vextracti32x4	$0x1, %ymm0, %xmm22
	vextractf32x4	$0x1, %ymm21, %xmm20
	vextracti32x4	$1, %ymm0, %xmm0
	vextractf32x4	$1, %ymm21, %xmm21
	vmovd	%xmm0, %edx
	movslq	%edx, %rdx
	vcvtss2sd	%xmm21, %xmm21, %xmm21
	vaddsd	8320(%rsp,%rdx,8), %xmm21, %xmm21
	vmovsd	%xmm21, 8320(%rsp,%rdx,8)
	cmpq	$13, %rax
	jle	.L1074
	vpextrd	$1, %xmm22, %edx
	vshufps	$85, %xmm20, %xmm20, %xmm0
	vcvtss2sd	%xmm0, %xmm0, %xmm0
	movslq	%edx, %rdx
	vaddsd	16512(%rsp,%rdx,8), %xmm0, %xmm0
	vmovsd	%xmm0, 16512(%rsp,%rdx,8)
	cmpq	$14, %rax
	jle	.L1074
	vpextrd	$2, %xmm22, %edx
	vunpckhps	%xmm20, %xmm20, %xmm0
	movslq	%edx, %rdx
	vcvtss2sd	%xmm0, %xmm0, %xmm0
	vaddsd	8320(%rsp,%rdx,8), %xmm0, %xmm0
	vmovsd	%xmm0, 8320(%rsp,%rdx,8)
	cmpq	$15, %rax
	jle	.L1074
	vpextrd	$3, %xmm22, %edx
	vshufps	$255, %xmm20, %xmm20, %xmm0
	vcvtss2sd	%xmm0, %xmm0, %xmm0
	movslq	%edx, %rdx
	vaddsd	16512(%rsp,%rdx,8), %xmm0, %xmm0
	vmovsd	%xmm0, 16512(%rsp,%rdx,8)
	.p2align 4,,10
	.p2align 3
.L1074:
	subq	$16, %rax
	addq	$64, %rcx
	cmpq	%rax, %rsi
	je	.L1065
.L1075:
	cmpq	$15, %rax
	jg	.L1305
	movl	$16, %edx
	movq	%r8, %r10
	movq	%rcx, %r9
	vmovdqa64	%zmm19, 128(%rsp)
	cmpq	%rdx, %rax
	cmovle	%rax, %rdx
	salq	$2, %rdx
	cmpl	$8, %edx
	jnb	.L1306
.L1068:
	andl	$4, %edx
	je	.L1073
	movl	(%r9), %edx
	movl	%edx, (%r10)
.L1073:
	vmovaps	128(%rsp), %zmm20
	jmp	.L1067
.L1065:
	movq	%rdi, %rdx
	movq	%r8, %rax
	vxorpd	%xmm3, %xmm3, %xmm3
	.p2align 4,,10
	.p2align 3
.L1076:
	vmovapd	8192(%rdx), %zmm5
	vaddpd	(%rdx), %zmm5, %zmm0
	addq	$64, %rax
	addq	$64, %rdx
	valignq	$3, %ymm0, %ymm0, %ymm2
	vaddsd	%xmm3, %xmm0, %xmm3
	vunpckhpd	%xmm0, %xmm0, %xmm4
	vmovapd	%zmm0, -64(%rax)
	vaddsd	%xmm3, %xmm4, %xmm4
	vextractf64x2	$1, %ymm0, %xmm3
	vextractf64x4	$0x1, %zmm0, %ymm0
	vaddsd	%xmm4, %xmm3, %xmm3
	vaddsd	%xmm3, %xmm2, %xmm2
	vunpckhpd	%xmm0, %xmm0, %xmm3
	vaddsd	%xmm2, %xmm0, %xmm2
	vaddsd	%xmm2, %xmm3, %xmm2
	vextractf64x2	$1, %ymm0, %xmm3
	valignq	$3, %ymm0, %ymm0, %ymm0
	vaddsd	%xmm2, %xmm3, %xmm3
	vaddsd	%xmm0, %xmm3, %xmm3
	cmpq	%rax, %rdi
	jne	.L1076
	movq	8(%rsp), %rax
	vxorpd	%xmm2, %xmm2, %xmm2
	vmulsd	8(%rax), %xmm3, %xmm3
	xorl	%eax, %eax
	jmp	.L1078
	.p2align 4,,10
	.p2align 3
.L1308:
	addq	$1, %rax
	cmpq	$1024, %rax
	je	.L1307
.L1078:
	vmovsd	%xmm2, %xmm2, %xmm0
	vaddsd	(%r8,%rax,8), %xmm2, %xmm2
	vcomisd	%xmm3, %xmm2
	jb	.L1308
	testq	%rbx, %rbx
	jle	.L1309
	leaq	-1(%rbx), %rdx
	leaq	-16(%rbx), %rcx
	vpbroadcastd	%eax, %zmm5
	vbroadcastss	.LC58(%rip), %zmm2
	andq	$-16, %rdx
	movq	%r12, %rax
	xorl	%r12d, %r12d
	vbroadcastss	.LC94(%rip), %zmm4
	vbroadcastss	%xmm1, %zmm1
	subq	%rdx, %rcx
	vpxor	%xmm11, %xmm11, %xmm11
	vpternlogd	$0xFF, %zmm10, %zmm10, %zmm10
	jmp	.L1106
.L1088:
	subq	$16, %rbx
	addq	$64, %rax
	cmpq	%rcx, %rbx
	je	.L1162
.L1106:
	cmpq	$15, %rbx
	jle	.L1080
	vmovups	(%rax), %zmm7
.L1081:
	vmulps	%zmm1, %zmm7, %zmm6
	vxorps	%zmm2, %zmm6, %zmm6
	vmaxps	%zmm4, %zmm6, %zmm6
	vxorps	%zmm2, %zmm6, %zmm6
	vcvttps2dq	%zmm6, %zmm6
	vpcmpd	$0, %zmm5, %zmm6, %k1
	vmovdqa32	%zmm10, %zmm6{%k1}{z}
	vpmovd2m	%zmm6, %k0
	kortestw	%k0, %k0
	je	.L1088
	vmovd	%xmm6, %edx
	vmovdqa	%ymm6, %ymm8
	testl	%edx, %edx
	je	.L1089
	vmovss	%xmm7, (%r15,%r12,4)
	addq	$1, %r12
.L1089:
	cmpq	$1, %rbx
	jle	.L1088
	vpextrd	$1, %xmm8, %edx
	testl	%edx, %edx
	je	.L1091
	vextractps	$1, %xmm7, (%r15,%r12,4)
	addq	$1, %r12
.L1091:
	cmpq	$2, %rbx
	jle	.L1088
	vpextrd	$2, %xmm8, %edx
	testl	%edx, %edx
	je	.L1092
	vextractps	$2, %xmm7, (%r15,%r12,4)
	addq	$1, %r12
.L1092:
	cmpq	$3, %rbx
	jle	.L1088
	vpextrd	$3, %xmm8, %edx
	testl	%edx, %edx
	je	.L1093
	vextractps	$3, %xmm7, (%r15,%r12,4)
	addq	$1, %r12
.L1093:
	cmpq	$4, %rbx
	jle	.L1088
	vextracti32x4	$1, %ymm8, %xmm12
	vmovd	%xmm12, %edx
	testl	%edx, %edx
	je	.L1094
	vextractf32x4	$1, %ymm7, %xmm9
	vmovss	%xmm9, (%r15,%r12,4)
	addq	$1, %r12
.L1094:
	cmpq	$5, %rbx
	jle	.L1088
	valignd	$5, %ymm8, %ymm8, %ymm13
	vmovd	%xmm13, %edx
	testl	%edx, %edx
	je	.L1095
	valignd	$5, %zmm7, %zmm7, %zmm9
	vmovss	%xmm9, (%r15,%r12,4)
	addq	$1, %r12
.L1095:
	cmpq	$6, %rbx
	jle	.L1088
	valignd	$6, %ymm8, %ymm8, %ymm14
	vmovd	%xmm14, %edx
	testl	%edx, %edx
	je	.L1096
	valignd	$6, %zmm7, %zmm7, %zmm9
	vmovss	%xmm9, (%r15,%r12,4)
	addq	$1, %r12
.L1096:
	cmpq	$7, %rbx
	jle	.L1088
	valignd	$7, %ymm8, %ymm8, %ymm8
	vmovd	%xmm8, %esi
	testl	%esi, %esi
	jne	.L1310
.L1097:
	cmpq	$8, %rbx
	jle	.L1088
	vextracti32x8	$0x1, %zmm6, %ymm8
	vextracti32x4	$2, %zmm6, %xmm6
	vmovd	%xmm6, %esi
	testl	%esi, %esi
	jne	.L1311
.L1098:
	cmpq	$9, %rbx
	jle	.L1088
	vpextrd	$1, %xmm8, %edx
	testl	%edx, %edx
	jne	.L1312
.L1099:
	cmpq	$10, %rbx
	jle	.L1088
	vpextrd	$2, %xmm8, %edx
	testl	%edx, %edx
	jne	.L1313
.L1100:
	cmpq	$11, %rbx
	jle	.L1088
	vpextrd	$3, %xmm8, %edx
	testl	%edx, %edx
	jne	.L1314
.L1101:
	cmpq	$12, %rbx
	jle	.L1088
	vextracti32x4	$1, %ymm8, %xmm6
	vmovd	%xmm6, %edx
	testl	%edx, %edx
	je	.L1102
	vextractf32x4	$3, %zmm7, %xmm6
	vmovss	%xmm6, (%r15,%r12,4)
	addq	$1, %r12
.L1102:
	cmpq	$13, %rbx
	jle	.L1088
	valignd	$5, %ymm8, %ymm8, %ymm6
	vmovd	%xmm6, %edx
	testl	%edx, %edx
	je	.L1103
	valignd	$13, %zmm7, %zmm7, %zmm6
	vmovss	%xmm6, (%r15,%r12,4)
	addq	$1, %r12
.L1103:
	cmpq	$14, %rbx
	jle	.L1088
	valignd	$6, %ymm8, %ymm8, %ymm6
	vmovd	%xmm6, %edx
	testl	%edx, %edx
	je	.L1104
	valignd	$14, %zmm7, %zmm7, %zmm6
	vmovss	%xmm6, (%r15,%r12,4)
	addq	$1, %r12
.L1104:
	cmpq	$15, %rbx
	jle	.L1088
	valignd	$7, %ymm8, %ymm8, %ymm8
	vmovd	%xmm8, %esi
	testl	%esi, %esi
	je	.L1088
	valignd	$15, %zmm7, %zmm7, %zmm7
	subq	$16, %rbx
	addq	$64, %rax
	vmovss	%xmm7, (%r15,%r12,4)
	addq	$1, %r12
	cmpq	%rcx, %rbx
	jne	.L1106
.L1162:
	leaq	64(%rsp), %r11
	vmovsd	%xmm0, %xmm0, %xmm27
	.p2align 4,,10
	.p2align 3
.L1159:
	testq	%r12, %r12
	je	.L1315
	leaq	-1(%r12), %r10
	movq	%r12, %rbx
	cmpq	$14, %r10
	jbe	.L1163
	movq	%r12, %rdx
	movl	$2147483647, %ecx
	movq	%r15, %rax
	shrq	$4, %rdx
	vpxor	%xmm1, %xmm1, %xmm1
	vpbroadcastd	%ecx, %zmm2
	salq	$6, %rdx
	addq	%r15, %rdx
	.p2align 4,,10
	.p2align 3
.L1109:
	vpminsd	(%rax), %zmm2, %zmm2
	vpmaxsd	(%rax), %zmm1, %zmm1
	addq	$64, %rax
	cmpq	%rdx, %rax
	jne	.L1109
	vextracti32x8	$0x1, %zmm1, %ymm6
	movq	%r12, %rdx
	vpmaxsd	%ymm1, %ymm6, %ymm7
	andq	$-16, %rdx
	vextracti128	$0x1, %ymm7, %xmm4
	movq	%rdx, %rsi
	vpmaxsd	%xmm7, %xmm4, %xmm4
	vpsrldq	$8, %xmm4, %xmm7
	vpmaxsd	%xmm7, %xmm4, %xmm4
	vpsrldq	$4, %xmm4, %xmm7
	vpmaxsd	%xmm7, %xmm4, %xmm4
	vmovd	%xmm4, %eax
	vextracti32x8	$0x1, %zmm2, %ymm4
	vpminsd	%ymm2, %ymm4, %ymm9
	vmovd	%eax, %xmm8
	vpminsd	%ymm2, %ymm4, %ymm4
	vextracti128	$0x1, %ymm9, %xmm7
	vpmaxsd	%ymm1, %ymm6, %ymm2
	vpminsd	%xmm9, %xmm7, %xmm7
	vpsrldq	$8, %xmm7, %xmm9
	vpminsd	%xmm9, %xmm7, %xmm7
	vpsrldq	$4, %xmm7, %xmm9
	vpminsd	%xmm9, %xmm7, %xmm7
	vmovd	%xmm7, %r13d
	vmovd	%r13d, %xmm7
	cmpq	%r12, %rdx
	je	.L1110
.L1108:
	movq	%r12, %rcx
	subq	%rsi, %rcx
	leaq	-1(%rcx), %rax
	cmpq	$6, %rax
	jbe	.L1111
	vmovups	(%r15,%rsi,4), %ymm1
	movq	%rcx, %rsi
	andq	$-8, %rsi
	vpmaxsd	%ymm1, %ymm2, %ymm2
	vpminsd	%ymm1, %ymm4, %ymm4
	addq	%rsi, %rdx
	andl	$7, %ecx
	vextracti128	$0x1, %ymm2, %xmm1
	vpmaxsd	%xmm2, %xmm1, %xmm1
	vpsrldq	$8, %xmm1, %xmm2
	vpmaxsd	%xmm2, %xmm1, %xmm1
	vpsrldq	$4, %xmm1, %xmm2
	vpmaxsd	%xmm2, %xmm1, %xmm1
	vextracti128	$0x1, %ymm4, %xmm2
	vpminsd	%xmm4, %xmm2, %xmm2
	vmovd	%xmm1, %eax
	vpsrldq	$8, %xmm2, %xmm1
	vmovd	%eax, %xmm8
	vpminsd	%xmm1, %xmm2, %xmm2
	vpsrldq	$4, %xmm2, %xmm1
	vpminsd	%xmm1, %xmm2, %xmm2
	vmovd	%xmm2, %r13d
	vmovd	%r13d, %xmm7
	je	.L1110
.L1111:
	vmovd	(%r15,%rdx,4), %xmm1
	leaq	1(%rdx), %rsi
	leaq	0(,%rdx,4), %rcx
	vpminsd	%xmm1, %xmm7, %xmm7
	vpmaxsd	%xmm1, %xmm8, %xmm8
	vmovd	%xmm7, %r13d
	vmovd	%xmm8, %eax
	cmpq	%rsi, %r12
	jle	.L1110
	vmovd	4(%r15,%rcx), %xmm1
	leaq	2(%rdx), %rsi
	vpminsd	%xmm1, %xmm7, %xmm7
	vpmaxsd	%xmm1, %xmm8, %xmm8
	vmovd	%xmm7, %r13d
	vmovd	%xmm8, %eax
	cmpq	%rsi, %r12
	jle	.L1110
	vmovd	8(%r15,%rcx), %xmm1
	leaq	3(%rdx), %rsi
	vpminsd	%xmm1, %xmm7, %xmm7
	vpmaxsd	%xmm1, %xmm8, %xmm8
	vmovd	%xmm7, %r13d
	vmovd	%xmm8, %eax
	cmpq	%rsi, %r12
	jle	.L1110
	vmovd	12(%r15,%rcx), %xmm1
	leaq	4(%rdx), %rsi
	vpminsd	%xmm1, %xmm7, %xmm7
	vpmaxsd	%xmm1, %xmm8, %xmm8
	vmovd	%xmm7, %r13d
	vmovd	%xmm8, %eax
	cmpq	%rsi, %r12
	jle	.L1110
	vmovd	16(%r15,%rcx), %xmm1
	leaq	5(%rdx), %rsi
	vpminsd	%xmm1, %xmm7, %xmm7
	vpmaxsd	%xmm1, %xmm8, %xmm8
	vmovd	%xmm7, %r13d
	vmovd	%xmm8, %eax
	cmpq	%rsi, %r12
	jle	.L1110
	vmovd	20(%r15,%rcx), %xmm1
	addq	$6, %rdx
	vpminsd	%xmm1, %xmm7, %xmm7
	vpmaxsd	%xmm1, %xmm8, %xmm8
	vmovd	%xmm7, %r13d
	vmovd	%xmm8, %eax
	cmpq	%rdx, %r12
	jle	.L1110
	vmovd	24(%r15,%rcx), %xmm1
	vpminsd	%xmm1, %xmm7, %xmm7
	vpmaxsd	%xmm1, %xmm8, %xmm8
	vmovd	%xmm7, %r13d
	vmovd	%xmm8, %eax
.L1110:
	cmpl	%eax, %r13d
	je	.L1316
	vpsubd	%xmm7, %xmm8, %xmm1
	vmovd	%xmm1, %eax
	cmpl	$1023, %eax
	jle	.L1164
	movl	$1, %ecx
	.p2align 4,,10
	.p2align 3
.L1116:
	movl	%eax, %r14d
	movl	%ecx, %r9d
	sarl	%cl, %r14d
	addl	$1, %ecx
	cmpl	$1023, %r14d
	jg	.L1116
.L1115:
	movq	%r11, 16(%rsp)
	xorl	%esi, %esi
	movl	$16384, %edx
	movq	%r8, 24(%rsp)
	movq	%r10, 40(%rsp)
	movl	%r9d, 56(%rsp)
	vmovsd	%xmm27, 32(%rsp)
	vmovsd	%xmm3, 48(%rsp)
	vzeroupper
	call	memset@PLT
	movq	40(%rsp), %r10
	movslq	56(%rsp), %rcx
	movq	%rax, %rdi
	movq	8(%rsp), %rax
	leaq	-16(%r12), %rsi
	vbroadcastss	.LC29(%rip), %zmm17
	andq	$-16, %r10
	movq	24(%rsp), %r8
	movq	%rcx, %r9
	vbroadcastss	.LC58(%rip), %zmm16
	vbroadcastss	(%rax), %zmm20
	movq	16(%rsp), %r11
	vpbroadcastd	%r13d, %zmm18
	subq	%r10, %rsi
	vbroadcastss	4(%rax), %zmm19
	vmovq	%rcx, %xmm4
	movq	%r15, %rax
	vbroadcastss	.LC31(%rip), %zmm15
	vbroadcastss	.LC33(%rip), %zmm14
	vpxord	%xmm21, %xmm21, %xmm21
	vbroadcastss	.LC35(%rip), %zmm13
	vpternlogd	$0xFF, %zmm5, %zmm5, %zmm5
	vbroadcastss	.LC37(%rip), %zmm12
	vbroadcastss	.LC39(%rip), %zmm11
	vbroadcastss	.LC41(%rip), %zmm10
	vbroadcastss	.LC43(%rip), %zmm9
	vmovsd	32(%rsp), %xmm27
	vmovsd	48(%rsp), %xmm3
	vbroadcastss	.LC45(%rip), %zmm8
	vbroadcastss	.LC47(%rip), %zmm7
	vbroadcastss	.LC49(%rip), %zmm6
	jmp	.L1126
	.p2align 4,,10
	.p2align 3
.L1318:
	vmovups	(%rax), %zmm2
.L1118:
	vmulps	%zmm20, %zmm2, %zmm0
	vmovaps	%zmm12, %zmm1
	vcmpps	$2, %zmm19, %zmm2, %k1
	vpsubd	%zmm18, %zmm2, %zmm2
	vpsrad	%xmm4, %zmm2, %zmm2
	vmovd	%xmm2, %edx
	vxorps	%zmm16, %zmm0, %zmm0
	movslq	%edx, %rdx
	vmaxps	%zmm0, %zmm17, %zmm0
	vmulps	%zmm15, %zmm0, %zmm22
	vrndscaleps	$8, %zmm22, %zmm22
	vfmadd231ps	%zmm14, %zmm22, %zmm0
	vfmadd231ps	%zmm13, %zmm22, %zmm0
	vmulps	%zmm0, %zmm0, %zmm23
	vfmadd132ps	%zmm0, %zmm11, %zmm1
	vfmadd132ps	%zmm0, %zmm10, %zmm1
	vfmadd132ps	%zmm0, %zmm9, %zmm1
	vfmadd132ps	%zmm0, %zmm8, %zmm1
	vfmadd132ps	%zmm0, %zmm7, %zmm1
	vfmadd231ps	%zmm23, %zmm1, %zmm0
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vpmovd2m	%zmm1, %k1
	vaddps	%zmm6, %zmm0, %zmm0
	vscalefps	%zmm22, %zmm0, %zmm23{%k1}{z}
	vcvtss2sd	%xmm23, %xmm23, %xmm0
	vaddsd	8320(%rsp,%rdx,8), %xmm0, %xmm0
	vmovsd	%xmm0, 8320(%rsp,%rdx,8)
	cmpq	$1, %rbx
	jle	.L1125
	vpextrd	$1, %xmm2, %edx
	vshufps	$85, %xmm23, %xmm23, %xmm0
	vcvtss2sd	%xmm0, %xmm0, %xmm0
	movslq	%edx, %rdx
	vaddsd	16512(%rsp,%rdx,8), %xmm0, %xmm0
	vmovsd	%xmm0, 16512(%rsp,%rdx,8)
	cmpq	$2, %rbx
	jle	.L1125
	vpextrd	$2, %xmm2, %edx
	vunpckhps	%xmm23, %xmm23, %xmm0
	movslq	%edx, %rdx
	vcvtss2sd	%xmm0, %xmm0, %xmm0
	vaddsd	8320(%rsp,%rdx,8), %xmm0, %xmm0
	vmovsd	%xmm0, 8320(%rsp,%rdx,8)
	cmpq	$3, %rbx
	jle	.L1125
	vpextrd	$3, %xmm2, %edx
	vshufps	$255, %xmm23, %xmm23, %xmm1
	vcvtss2sd	%xmm1, %xmm1, %xmm1
	movslq	%edx, %rdx
	vaddsd	16512(%rsp,%rdx,8), %xmm1, %xmm1
	vmovsd	%xmm1, 16512(%rsp,%rdx,8)
	cmpq	$4, %rbx
	jle	.L1125
	vextracti32x4	$1, %ymm2, %xmm1
	vextracti32x4	$0x1, %ymm2, %xmm25
	vextractf32x4	$1, %ymm23, %xmm22
	vmovd	%xmm1, %edx
	vextractf32x4	$0x1, %ymm23, %xmm1
	movslq	%edx, %rdx
	vcvtss2sd	%xmm22, %xmm22, %xmm22
	vaddsd	8320(%rsp,%rdx,8), %xmm22, %xmm22
	vmovsd	%xmm22, 8320(%rsp,%rdx,8)
	cmpq	$5, %rbx
	jle	.L1125
	vpextrd	$1, %xmm25, %edx
	vshufps	$85, %xmm1, %xmm1, %xmm0
	vcvtss2sd	%xmm0, %xmm0, %xmm0
	movslq	%edx, %rdx
	vaddsd	16512(%rsp,%rdx,8), %xmm0, %xmm0
	vmovsd	%xmm0, 16512(%rsp,%rdx,8)
	cmpq	$6, %rbx
	jle	.L1125
	vpextrd	$2, %xmm25, %edx
	vunpckhps	%xmm1, %xmm1, %xmm0
	movslq	%edx, %rdx
	vcvtss2sd	%xmm0, %xmm0, %xmm0
	vaddsd	8320(%rsp,%rdx,8), %xmm0, %xmm0
	vmovsd	%xmm0, 8320(%rsp,%rdx,8)
	cmpq	$7, %rbx
	jle	.L1125
	vpextrd	$3, %xmm25, %edx
	vshufps	$255, %xmm1, %xmm1, %xmm1
	vcvtss2sd	%xmm1, %xmm1, %xmm1
	movslq	%edx, %rdx
	vaddsd	16512(%rsp,%rdx,8), %xmm1, %xmm1
	vmovsd	%xmm1, 16512(%rsp,%rdx,8)
	cmpq	$8, %rbx
	jle	.L1125
	vextracti32x8	$0x1, %zmm2, %ymm2
	vextractf32x8	$0x1, %zmm23, %ymm23
	vmovd	%xmm2, %edx
	vcvtss2sd	%xmm23, %xmm23, %xmm0
	movslq	%edx, %rdx
	vaddsd	8320(%rsp,%rdx,8), %xmm0, %xmm0
	vmovsd	%xmm0, 8320(%rsp,%rdx,8)
	cmpq	$9, %rbx
	jle	.L1125
	vpextrd	$1, %xmm2, %edx
	vshufps	$85, %xmm23, %xmm23, %xmm1
	vcvtss2sd	%xmm1, %xmm1, %xmm1
	movslq	%edx, %rdx
	vaddsd	16512(%rsp,%rdx,8), %xmm1, %xmm1
	vmovsd	%xmm1, 16512(%rsp,%rdx,8)
	cmpq	$10, %rbx
	jle	.L1125
	vpextrd	$2, %xmm2, %edx
	vunpckhps	%xmm23, %xmm23, %xmm0
	movslq	%edx, %rdx
	vcvtss2sd	%xmm0, %xmm0, %xmm0
	vaddsd	8320(%rsp,%rdx,8), %xmm0, %xmm0
	vmovsd	%xmm0, 8320(%rsp,%rdx,8)
	cmpq	$11, %rbx
	jle	.L1125
	vpextrd	$3, %xmm2, %edx
	vshufps	$255, %xmm23, %xmm23, %xmm1
	vcvtss2sd	%xmm1, %xmm1, %xmm1
	movslq	%edx, %rdx
	vaddsd	16512(%rsp,%rdx,8), %xmm1, %xmm1
	vmovsd	%xmm1, 16512(%rsp,%rdx,8)
	cmpq	$12, %rbx
	jle	.L1125
	vextracti32x4	$0x1, %ymm2, %xmm22
	vextractf32x4	$0x1, %ymm23, %xmm1
	vextracti32x4	$1, %ymm2, %xmm2
	vextractf32x4	$1, %ymm23, %xmm23
	vmovd	%xmm2, %edx
	movslq	%edx, %rdx
	vcvtss2sd	%xmm23, %xmm23, %xmm23
	vaddsd	8320(%rsp,%rdx,8), %xmm23, %xmm23
	vmovsd	%xmm23, 8320(%rsp,%rdx,8)
	cmpq	$13, %rbx
	jle	.L1125
	vpextrd	$1, %xmm22, %edx
	vshufps	$85, %xmm1, %xmm1, %xmm0
	vcvtss2sd	%xmm0, %xmm0, %xmm0
	movslq	%edx, %rdx
	vaddsd	16512(%rsp,%rdx,8), %xmm0, %xmm0
	vmovsd	%xmm0, 16512(%rsp,%rdx,8)
	cmpq	$14, %rbx
	jle	.L1125
	vpextrd	$2, %xmm22, %edx
	vunpckhps	%xmm1, %xmm1, %xmm0
	movslq	%edx, %rdx
	vcvtss2sd	%xmm0, %xmm0, %xmm0
	vaddsd	8320(%rsp,%rdx,8), %xmm0, %xmm0
	vmovsd	%xmm0, 8320(%rsp,%rdx,8)
	cmpq	$15, %rbx
	jle	.L1125
	vpextrd	$3, %xmm22, %edx
	vshufps	$255, %xmm1, %xmm1, %xmm0
	vcvtss2sd	%xmm0, %xmm0, %xmm0
	movslq	%edx, %rdx
	vaddsd	16512(%rsp,%rdx,8), %xmm0, %xmm0
	vmovsd	%xmm0, 16512(%rsp,%rdx,8)
	.p2align 4,,10
	.p2align 3
.L1125:
	subq	$16, %rbx
	addq	$64, %rax
	cmpq	%rsi, %rbx
	je	.L1317
.L1126:
	cmpq	$15, %rbx
	jg	.L1318
	movl	$16, %edx
	vmovdqa64	%zmm21, 64(%rsp)
	movq	%r11, %r10
	movq	%rax, %rcx
	cmpq	%rdx, %rbx
	cmovle	%rbx, %rdx
	salq	$2, %rdx
	cmpl	$8, %edx
	jnb	.L1319
.L1119:
	andl	$4, %edx
	je	.L1124
	movl	(%rcx), %edx
	movl	%edx, (%r10)
.L1124:
	vmovaps	64(%rsp), %zmm2
	jmp	.L1118
.L1080:
	movl	$16, %esi
	movq	%rdi, %r9
	movq	%rax, %rdx
	vmovdqa64	%zmm11, 8320(%rsp)
	cmpq	%rsi, %rbx
	cmovle	%rbx, %rsi
	salq	$2, %rsi
	cmpl	$8, %esi
	jnb	.L1320
.L1082:
	andl	$4, %esi
	je	.L1087
	movl	(%rdx), %edx
	movl	%edx, (%r9)
.L1087:
	vmovaps	8320(%rsp), %zmm7
	jmp	.L1081
.L1306:
	movl	%edx, %r13d
	xorl	%r9d, %r9d
	andl	$-8, %r13d
.L1069:
	movl	%r9d, %r10d
	addl	$8, %r9d
	movq	(%rcx,%r10), %r11
	movq	%r11, (%r8,%r10)
	cmpl	%r13d, %r9d
	jb	.L1069
	leaq	(%r8,%r9), %r10
	addq	%rcx, %r9
	jmp	.L1068
.L1317:
	leaq	16512(%rsp), %rbx
.L1113:
	movq	%rdi, %rax
	movq	%r8, %rdx
	.p2align 4,,10
	.p2align 3
.L1127:
	vmovapd	8192(%rax), %zmm6
	vaddpd	(%rax), %zmm6, %zmm1
	addq	$64, %rax
	addq	$64, %rdx
	vmovapd	%zmm1, -64(%rdx)
	cmpq	%rax, %rbx
	jne	.L1127
	xorl	%eax, %eax
	jmp	.L1129
	.p2align 4,,10
	.p2align 3
.L1321:
	addq	$1, %rax
	cmpq	$1024, %rax
	je	.L1160
.L1129:
	vmovq	%xmm27, %rdx
	vaddsd	(%r8,%rax,8), %xmm27, %xmm27
	vcomisd	%xmm3, %xmm27
	jb	.L1321
	movl	%eax, %r14d
	vmovq	%rdx, %xmm27
.L1160:
	testq	%r12, %r12
	je	.L1107
	leaq	-1(%r12), %rcx
	leaq	-16(%r12), %r10
	movslq	%r9d, %rsi
	movq	%r12, %rax
	andq	$-16, %rcx
	vpbroadcastd	%r13d, %zmm10
	movq	%r15, %rdx
	xorl	%r12d, %r12d
	vpbroadcastd	%r14d, %zmm9
	subq	%rcx, %r10
	vmovq	%rsi, %xmm4
	vpxor	%xmm11, %xmm11, %xmm11
	jmp	.L1157
	.p2align 4,,10
	.p2align 3
.L1139:
	subq	$16, %rax
	addq	$64, %rdx
	cmpq	%r10, %rax
	je	.L1159
.L1157:
	cmpq	$15, %rax
	jle	.L1131
	vmovups	(%rdx), %zmm8
.L1132:
	vpsubd	%zmm10, %zmm8, %zmm1
	vpsrad	%xmm4, %zmm1, %zmm1
	vpcmpd	$0, %zmm9, %zmm1, %k1
	vmovdqa32	%zmm5, %zmm6{%k1}{z}
	vpmovd2m	%zmm6, %k0
	kortestw	%k0, %k0
	je	.L1139
	vmovd	%xmm6, %ecx
	vmovdqa	%ymm6, %ymm2
	testl	%ecx, %ecx
	je	.L1140
	vmovss	%xmm8, (%r15,%r12,4)
	addq	$1, %r12
.L1140:
	cmpq	$1, %rax
	jle	.L1139
	vpextrd	$1, %xmm2, %ecx
	testl	%ecx, %ecx
	je	.L1142
	vextractps	$1, %xmm8, (%r15,%r12,4)
	addq	$1, %r12
.L1142:
	cmpq	$2, %rax
	jle	.L1139
	vpextrd	$2, %xmm2, %ecx
	testl	%ecx, %ecx
	je	.L1143
	vextractps	$2, %xmm8, (%r15,%r12,4)
	addq	$1, %r12
.L1143:
	cmpq	$3, %rax
	jle	.L1139
	vpextrd	$3, %xmm2, %ecx
	testl	%ecx, %ecx
	je	.L1144
	vextractps	$3, %xmm8, (%r15,%r12,4)
	addq	$1, %r12
.L1144:
	cmpq	$4, %rax
	jle	.L1139
	vextracti32x4	$1, %ymm2, %xmm7
	vmovd	%xmm7, %ecx
	testl	%ecx, %ecx
	je	.L1145
	vextractf32x4	$1, %ymm8, %xmm0
	vmovss	%xmm0, (%r15,%r12,4)
	addq	$1, %r12
.L1145:
	cmpq	$5, %rax
	jle	.L1139
	valignd	$5, %ymm2, %ymm2, %ymm7
	vmovd	%xmm7, %ecx
	testl	%ecx, %ecx
	je	.L1146
	valignd	$5, %zmm8, %zmm8, %zmm0
	vmovss	%xmm0, (%r15,%r12,4)
	addq	$1, %r12
.L1146:
	cmpq	$6, %rax
	jle	.L1139
	valignd	$6, %ymm2, %ymm2, %ymm7
	vmovd	%xmm7, %ecx
	testl	%ecx, %ecx
	je	.L1147
	valignd	$6, %zmm8, %zmm8, %zmm0
	vmovss	%xmm0, (%r15,%r12,4)
	addq	$1, %r12
.L1147:
	cmpq	$7, %rax
	jle	.L1139
	valignd	$7, %ymm2, %ymm2, %ymm2
	vmovd	%xmm2, %esi
	testl	%esi, %esi
	je	.L1148
	valignd	$7, %zmm8, %zmm8, %zmm0
	vmovss	%xmm0, (%r15,%r12,4)
	addq	$1, %r12
.L1148:
	cmpq	$8, %rax
	jle	.L1139
	vextracti32x8	$0x1, %zmm6, %ymm1
	vextracti32x4	$2, %zmm6, %xmm6
	vmovd	%xmm6, %esi
	testl	%esi, %esi
	je	.L1149
	vextractf32x4	$2, %zmm8, %xmm0
	vmovss	%xmm0, (%r15,%r12,4)
	addq	$1, %r12
.L1149:
	cmpq	$9, %rax
	jle	.L1139
	vpextrd	$1, %xmm1, %ecx
	testl	%ecx, %ecx
	je	.L1150
	valignd	$9, %zmm8, %zmm8, %zmm0
	vmovss	%xmm0, (%r15,%r12,4)
	addq	$1, %r12
.L1150:
	cmpq	$10, %rax
	jle	.L1139
	vpextrd	$2, %xmm1, %ecx
	testl	%ecx, %ecx
	je	.L1151
	valignd	$10, %zmm8, %zmm8, %zmm0
	vmovss	%xmm0, (%r15,%r12,4)
	addq	$1, %r12
.L1151:
	cmpq	$11, %rax
	jle	.L1139
	vpextrd	$3, %xmm1, %ecx
	testl	%ecx, %ecx
	je	.L1152
	valignd	$11, %zmm8, %zmm8, %zmm0
	vmovss	%xmm0, (%r15,%r12,4)
	addq	$1, %r12
.L1152:
	cmpq	$12, %rax
	jle	.L1139
	vextracti32x4	$1, %ymm1, %xmm7
	vmovd	%xmm7, %ecx
	testl	%ecx, %ecx
	je	.L1153
	vextractf32x4	$3, %zmm8, %xmm0
	vmovss	%xmm0, (%r15,%r12,4)
	addq	$1, %r12
.L1153:
	cmpq	$13, %rax
	jle	.L1139
	valignd	$5, %ymm1, %ymm1, %ymm7
	vmovd	%xmm7, %ecx
	testl	%ecx, %ecx
	je	.L1154
	valignd	$13, %zmm8, %zmm8, %zmm0
	vmovss	%xmm0, (%r15,%r12,4)
	addq	$1, %r12
.L1154:
	cmpq	$14, %rax
	jle	.L1139
	valignd	$6, %ymm1, %ymm1, %ymm7
	vmovd	%xmm7, %ecx
	testl	%ecx, %ecx
	je	.L1155
	valignd	$14, %zmm8, %zmm8, %zmm0
	vmovss	%xmm0, (%r15,%r12,4)
	addq	$1, %r12
.L1155:
	cmpq	$15, %rax
	jle	.L1139
	valignd	$7, %ymm1, %ymm1, %ymm1
	vmovd	%xmm1, %esi
	testl	%esi, %esi
	je	.L1139
	valignd	$15, %zmm8, %zmm8, %zmm8
	vmovss	%xmm8, (%r15,%r12,4)
	addq	$1, %r12
	jmp	.L1139
	.p2align 4,,10
	.p2align 3
.L1131:
	movl	$16, %ecx
	movq	%rdi, %r9
	movq	%rdx, %rsi
	vmovdqa64	%zmm11, 8320(%rsp)
	cmpq	%rcx, %rax
	cmovle	%rax, %rcx
	salq	$2, %rcx
	cmpl	$8, %ecx
	jnb	.L1322
.L1133:
	andl	$4, %ecx
	je	.L1138
	movl	(%rsi), %ecx
	movl	%ecx, (%r9)
.L1138:
	vmovaps	8320(%rsp), %zmm8
	jmp	.L1132
.L1322:
	movl	%ecx, %r13d
	xorl	%esi, %esi
	andl	$-8, %r13d
.L1134:
	movl	%esi, %r9d
	addl	$8, %esi
	movq	(%rdx,%r9), %rbx
	movq	%rbx, (%rdi,%r9)
	cmpl	%r13d, %esi
	jb	.L1134
	leaq	(%rdi,%rsi), %r9
	addq	%rdx, %rsi
	jmp	.L1133
.L1319:
	movq	%rsi, 56(%rsp)
	movl	%edx, %r10d
	xorl	%ecx, %ecx
	movq	%rdx, 48(%rsp)
	andl	$-8, %r10d
.L1120:
	movl	%ecx, %edx
	addl	$8, %ecx
	movq	(%rax,%rdx), %rsi
	movq	%rsi, (%r11,%rdx)
	cmpl	%r10d, %ecx
	jb	.L1120
	leaq	(%r11,%rcx), %r10
	movq	56(%rsp), %rsi
	movq	48(%rsp), %rdx
	addq	%rax, %rcx
	jmp	.L1119
.L1315:
	leaq	16512(%rsp), %rbx
.L1107:
	movq	%r11, 32(%rsp)
	xorl	%esi, %esi
	movl	$16384, %edx
	movl	$2147483647, %r13d
	movq	%r8, 40(%rsp)
	movl	$-2147483647, %r14d
	vmovsd	%xmm27, 48(%rsp)
	vmovsd	%xmm3, 56(%rsp)
	vzeroupper
	call	memset@PLT
	xorl	%r12d, %r12d
	xorl	%r9d, %r9d
	vmovsd	56(%rsp), %xmm3
	vmovsd	48(%rsp), %xmm27
	movq	%rax, %rdi
	vpternlogd	$0xFF, %zmm5, %zmm5, %zmm5
	movq	40(%rsp), %r8
	movq	32(%rsp), %r11
	jmp	.L1113
.L1316:
	vmovd	%r13d, %xmm0
.L1064:
	vzeroupper
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L1320:
	.cfi_restore_state
	movl	%esi, %r11d
	xorl	%edx, %edx
	andl	$-8, %r11d
.L1083:
	movl	%edx, %r9d
	addl	$8, %edx
	movq	(%rax,%r9), %r10
	movq	%r10, (%rdi,%r9)
	cmpl	%r11d, %edx
	jb	.L1083
	leaq	(%rdi,%rdx), %r9
	addq	%rax, %rdx
	jmp	.L1082
.L1163:
	movl	$2147483647, %eax
	vpxor	%xmm1, %xmm1, %xmm1
	xorl	%esi, %esi
	xorl	%edx, %edx
	vmovdqa	.LC95(%rip), %xmm7
	vpxor	%xmm2, %xmm2, %xmm2
	vpbroadcastd	%eax, %ymm4
	vmovdqa	%xmm1, %xmm8
	jmp	.L1108
.L1310:
	valignd	$7, %zmm7, %zmm7, %zmm8
	vmovss	%xmm8, (%r15,%r12,4)
	addq	$1, %r12
	jmp	.L1097
.L1312:
	valignd	$9, %zmm7, %zmm7, %zmm6
	vmovss	%xmm6, (%r15,%r12,4)
	addq	$1, %r12
	jmp	.L1099
.L1311:
	vextractf32x4	$2, %zmm7, %xmm6
	vmovss	%xmm6, (%r15,%r12,4)
	addq	$1, %r12
	jmp	.L1098
.L1313:
	valignd	$10, %zmm7, %zmm7, %zmm6
	vmovss	%xmm6, (%r15,%r12,4)
	addq	$1, %r12
	jmp	.L1100
.L1314:
	valignd	$11, %zmm7, %zmm7, %zmm6
	vmovss	%xmm6, (%r15,%r12,4)
	addq	$1, %r12
	jmp	.L1101
.L1164:
	vmovd	%xmm1, %r14d
	xorl	%r9d, %r9d
	jmp	.L1115
.L1307:
	vmovss	.LC92(%rip), %xmm0
	jmp	.L1064
.L1309:
	xorl	%r12d, %r12d
	jmp	.L1162
	.cfi_endproc
.LFE7157:
	.size	_ZN10torchpaged12_GLOBAL__N_115select_distanceINS0_10MassWeightEEEfPKflRKT_fPf, .-_ZN10torchpaged12_GLOBAL__N_115select_distanceINS0_10MassWeightEEEfPKflRKT_fPf
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_118linear_block_bytesINS0_7Bf16DotENS0_7VnniDotEEEmRKNS_12LinearParamsEl, @function
_ZN10torchpaged12_GLOBAL__N_118linear_block_bytesINS0_7Bf16DotENS0_7VnniDotEEEmRKNS_12LinearParamsEl:
.LFB7030:
	.cfi_startproc
	xorl	%eax, %eax
	cmpl	$5, 12(%rdi)
	movq	80(%rdi), %rdx
	jne	.L1324
	movq	%rdx, %rcx
	leaq	62(%rdx), %rax
	addq	$31, %rcx
	cmovns	%rcx, %rax
	sarq	$5, %rax
	imulq	%rsi, %rax
	leaq	63(,%rax,8), %rax
	movq	%rax, %rdi
	sarq	$63, %rdi
	shrq	$58, %rdi
	leaq	(%rax,%rdi), %rcx
	andl	$63, %ecx
	subq	%rdi, %rcx
	subq	%rcx, %rax
.L1324:
	imulq	%rdx, %rsi
	leaq	64(%rax,%rsi,4), %rax
	ret
	.cfi_endproc
.LFE7030:
	.size	_ZN10torchpaged12_GLOBAL__N_118linear_block_bytesINS0_7Bf16DotENS0_7VnniDotEEEmRKNS_12LinearParamsEl, .-_ZN10torchpaged12_GLOBAL__N_118linear_block_bytesINS0_7Bf16DotENS0_7VnniDotEEEmRKNS_12LinearParamsEl
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_19seen_bitsERKNS_15AttentionParamsERKNS0_5SightEll, @function
_ZN10torchpaged12_GLOBAL__N_19seen_bitsERKNS_15AttentionParamsERKNS0_5SightEll:
.LFB6715:
	.cfi_startproc
	movq	%rcx, %rax
	movq	(%rsi), %rcx
	movq	%rdx, %r10
	movzbl	33(%rsi), %r11d
	movq	%rdx, %r9
	movq	%rcx, %r8
	subq	8(%rsi), %r8
	addq	%r8, %r10
	js	.L1335
	cmpb	$0, 32(%rsi)
	jne	.L1344
.L1327:
	subq	%rax, %rcx
	kxorq	%k0, %k0, %k0
	testq	%rcx, %rcx
	jle	.L1328
	kxnorq	%k0, %k0, %k0
	cmpq	$63, %rcx
	jg	.L1328
	movl	$1, %edx
	salq	%cl, %rdx
	leaq	-1(%rdx), %rcx
	kmovq	%rcx, %k0
.L1328:
	movq	24(%rsi), %rdx
	xorl	%ecx, %ecx
	testq	%rdx, %rdx
	jle	.L1329
	subq	%rdx, %r10
	xorl	%edx, %edx
	leaq	1(%r10), %rcx
	testq	%rcx, %rcx
	cmovs	%rdx, %rcx
.L1329:
	subq	%rax, %rcx
	testq	%rcx, %rcx
	jle	.L1330
	cmpq	$63, %rcx
	jg	.L1339
	movq	$-1, %rdx
	salq	%cl, %rdx
	kmovq	%rdx, %k2
	kandq	%k2, %k0, %k0
.L1330:
	testb	%r11b, %r11b
	je	.L1326
	leaq	63(%rax), %rdx
	cmpq	%r8, %rdx
	jl	.L1326
	addq	16(%rsi), %r9
	movq	%r8, %rsi
	movl	$0, %ecx
	movq	312(%rdi), %rdx
	imulq	320(%rdi), %r9
	subq	%rax, %rsi
	cmovns	%rsi, %rcx
	cmpq	$63, %rsi
	jg	.L1326
	addq	%rcx, %rax
	movq	336(%rdi), %rsi
	addq	%rdx, %r9
	subq	%r8, %rax
	movl	$1, %r8d
	.p2align 4,,10
	.p2align 3
.L1334:
	cmpq	%rax, %rsi
	jle	.L1332
	movq	328(%rdi), %rdx
	imulq	%rax, %rdx
	cmpb	$0, (%r9,%rdx)
	jne	.L1333
.L1332:
	movq	%r8, %rdx
	salq	%cl, %rdx
	kmovq	%rdx, %k1
	kandnq	%k0, %k1, %k0
.L1333:
	addq	$1, %rcx
	addq	$1, %rax
	cmpq	$64, %rcx
	jne	.L1334
.L1326:
	kmovq	%k0, %rax
	ret
	.p2align 4,,10
	.p2align 3
.L1344:
	leaq	1(%r10), %rdx
	cmpq	%rdx, %rcx
	cmovle	%rcx, %rdx
	testb	%r11b, %r11b
	cmove	%rdx, %rcx
	jmp	.L1327
	.p2align 4,,10
	.p2align 3
.L1339:
	kxorq	%k0, %k0, %k0
	jmp	.L1330
	.p2align 4,,10
	.p2align 3
.L1335:
	xorl	%ecx, %ecx
	jmp	.L1327
	.cfi_endproc
.LFE6715:
	.size	_ZN10torchpaged12_GLOBAL__N_19seen_bitsERKNS_15AttentionParamsERKNS0_5SightEll, .-_ZN10torchpaged12_GLOBAL__N_19seen_bitsERKNS_15AttentionParamsERKNS0_5SightEll
	.align 2
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_10Bf16EngineEE13merge_rows_ofEPKfS5_S5_, @function
_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_10Bf16EngineEE13merge_rows_ofEPKfS5_S5_:
.LFB7220:
	.cfi_startproc
	movl	200(%rdi), %eax
	testl	%eax, %eax
	jle	.L1374
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rdi, %r8
	movq	%rsi, %r10
	movq	%rdx, %r11
	vmovss	.LC27(%rip), %xmm13
	xorl	%edi, %edi
	xorl	%r9d, %r9d
	vbroadcastss	.LC29(%rip), %zmm10
	vbroadcastss	.LC31(%rip), %zmm2
	vbroadcastss	.LC33(%rip), %zmm4
	vbroadcastss	.LC35(%rip), %zmm6
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r14
	vbroadcastss	.LC37(%rip), %zmm8
	pushq	%r13
	vbroadcastss	.LC39(%rip), %zmm11
	pushq	%r12
	vbroadcastss	.LC41(%rip), %zmm3
	pushq	%rbx
	.cfi_offset 14, -24
	.cfi_offset 13, -32
	.cfi_offset 12, -40
	.cfi_offset 3, -48
	movq	%rcx, %rbx
	vbroadcastss	.LC43(%rip), %zmm5
	vbroadcastss	.LC45(%rip), %zmm7
	vbroadcastss	.LC47(%rip), %zmm9
	vbroadcastss	.LC49(%rip), %zmm12
	.p2align 4,,10
	.p2align 3
.L1346:
	movq	104(%r8), %r12
	movq	96(%r8), %r13
	leaq	0(,%rdi,4), %r14
	movq	%rdi, %rcx
	vmovss	(%r10,%rdi,4), %xmm0
	movq	192(%r8), %rsi
	leaq	(%r12,%r14), %rax
	addq	%r13, %r14
	vmovss	(%r11,%rdi,4), %xmm15
	movq	120(%r8), %rdx
	vmovss	(%r14), %xmm1
	imulq	%rsi, %rcx
	vmaxss	%xmm0, %xmm1, %xmm14
	vucomiss	%xmm14, %xmm13
	ja	.L1348
	vsubss	%xmm14, %xmm1, %xmm1
	vsubss	%xmm14, %xmm0, %xmm0
.L1348:
	vbroadcastss	%xmm1, %zmm1
	vmovaps	%zmm8, %zmm16
	vbroadcastss	%xmm0, %zmm0
	vmovss	%xmm14, (%r14)
	vmaxps	%zmm1, %zmm10, %zmm1
	vmaxps	%zmm0, %zmm10, %zmm0
	vmulps	%zmm2, %zmm1, %zmm17
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm4, %zmm17, %zmm1
	vfmadd231ps	%zmm6, %zmm17, %zmm1
	vmulps	%zmm1, %zmm1, %zmm18
	vfmadd132ps	%zmm1, %zmm11, %zmm16
	vfmadd132ps	%zmm1, %zmm3, %zmm16
	vfmadd132ps	%zmm1, %zmm5, %zmm16
	vfmadd132ps	%zmm1, %zmm7, %zmm16
	vfmadd132ps	%zmm1, %zmm9, %zmm16
	vfmadd231ps	%zmm18, %zmm16, %zmm1
	vaddps	%zmm12, %zmm1, %zmm1
	vscalefps	%zmm17, %zmm1, %zmm16
	vmulps	%zmm2, %zmm0, %zmm17
	vmovaps	%zmm8, %zmm1
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm4, %zmm17, %zmm0
	vfmadd231ps	%zmm6, %zmm17, %zmm0
	vmulps	%zmm0, %zmm0, %zmm18
	vfmadd132ps	%zmm0, %zmm11, %zmm1
	vfmadd132ps	%zmm0, %zmm3, %zmm1
	vfmadd132ps	%zmm0, %zmm5, %zmm1
	vfmadd132ps	%zmm0, %zmm7, %zmm1
	vfmadd132ps	%zmm0, %zmm9, %zmm1
	vfmadd231ps	%zmm18, %zmm1, %zmm0
	vmulss	(%rax), %xmm16, %xmm1
	vaddps	%zmm12, %zmm0, %zmm0
	vscalefps	%zmm17, %zmm0, %zmm0
	vmulss	%xmm15, %xmm0, %xmm14
	vaddss	%xmm14, %xmm1, %xmm1
	vmovss	%xmm1, (%rax)
	testq	%rsi, %rsi
	jle	.L1377
	salq	$2, %rcx
	vbroadcastss	%xmm16, %zmm1
	vbroadcastss	%xmm0, %zmm14
	xorl	%eax, %eax
	addq	%rcx, %rdx
	addq	%rbx, %rcx
	.p2align 4,,10
	.p2align 3
.L1359:
	vmulps	(%rdx,%rax,4), %zmm1, %zmm0
	vfmadd231ps	(%rcx,%rax,4), %zmm14, %zmm0
	vmovups	%zmm0, (%rdx,%rax,4)
	addq	$16, %rax
	cmpq	%rax, %rsi
	jg	.L1359
	addl	$1, %r9d
	cmpl	%r9d, 200(%r8)
	jle	.L1371
	addq	$1, %rdi
	jmp	.L1346
	.p2align 4,,10
	.p2align 3
.L1377:
	movl	200(%r8), %esi
	leal	1(%r9), %eax
	cmpl	%eax, %esi
	jle	.L1371
	cltq
.L1352:
	leaq	0(,%rax,4), %rdx
	vmovss	(%r10,%rax,4), %xmm0
	vmovss	(%r11,%rax,4), %xmm14
	leaq	(%r12,%rdx), %rcx
	addq	%r13, %rdx
	vmovss	(%rdx), %xmm1
	vmaxss	%xmm0, %xmm1, %xmm15
	vucomiss	%xmm15, %xmm13
	jbe	.L1378
.L1357:
	vbroadcastss	%xmm1, %zmm1
	vmovaps	%zmm8, %zmm16
	vbroadcastss	%xmm0, %zmm0
	vmovss	%xmm15, (%rdx)
	vmaxps	%zmm1, %zmm10, %zmm1
	vmaxps	%zmm0, %zmm10, %zmm0
	addq	$1, %rax
	vmulps	%zmm2, %zmm1, %zmm17
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm4, %zmm17, %zmm1
	vfmadd231ps	%zmm6, %zmm17, %zmm1
	vmulps	%zmm1, %zmm1, %zmm18
	vfmadd132ps	%zmm1, %zmm11, %zmm16
	vfmadd132ps	%zmm1, %zmm3, %zmm16
	vfmadd132ps	%zmm1, %zmm5, %zmm16
	vfmadd132ps	%zmm1, %zmm7, %zmm16
	vfmadd132ps	%zmm1, %zmm9, %zmm16
	vfmadd231ps	%zmm18, %zmm16, %zmm1
	vaddps	%zmm12, %zmm1, %zmm1
	vscalefps	%zmm17, %zmm1, %zmm16
	vmulps	%zmm2, %zmm0, %zmm17
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm4, %zmm17, %zmm0
	vmovaps	%zmm0, %zmm1
	vmovaps	%zmm8, %zmm0
	vfmadd231ps	%zmm6, %zmm17, %zmm1
	vmulps	%zmm1, %zmm1, %zmm18
	vfmadd132ps	%zmm1, %zmm11, %zmm0
	vfmadd132ps	%zmm1, %zmm3, %zmm0
	vfmadd132ps	%zmm1, %zmm5, %zmm0
	vfmadd132ps	%zmm1, %zmm7, %zmm0
	vfmadd132ps	%zmm1, %zmm9, %zmm0
	vfmadd132ps	%zmm18, %zmm1, %zmm0
	vmulss	(%rcx), %xmm16, %xmm1
	vaddps	%zmm12, %zmm0, %zmm0
	vscalefps	%zmm17, %zmm0, %zmm0
	vmulss	%xmm14, %xmm0, %xmm0
	vaddss	%xmm0, %xmm1, %xmm1
	vmovss	%xmm1, (%rcx)
	cmpl	%eax, %esi
	jg	.L1352
.L1371:
	vzeroupper
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L1378:
	.cfi_restore_state
	vsubss	%xmm15, %xmm1, %xmm1
	vsubss	%xmm15, %xmm0, %xmm0
	jmp	.L1357
.L1374:
	.cfi_def_cfa 7, 8
	.cfi_restore 3
	.cfi_restore 6
	.cfi_restore 12
	.cfi_restore 13
	.cfi_restore 14
	ret
	.cfi_endproc
.LFE7220:
	.size	_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_10Bf16EngineEE13merge_rows_ofEPKfS5_S5_, .-_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_10Bf16EngineEE13merge_rows_ofEPKfS5_S5_
	.align 2
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_10Bf16EngineEE16finish_partitionEi, @function
_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_10Bf16EngineEE16finish_partitionEi:
.LFB7179:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	.cfi_offset 14, -24
	.cfi_offset 13, -32
	.cfi_offset 12, -40
	.cfi_offset 3, -48
	movq	%rdi, %rbx
	movl	200(%rdi), %edi
	andq	$-64, %rsp
	testl	%edi, %edi
	jle	.L1384
	movq	80(%rbx), %rax
	movslq	%edi, %rcx
	movq	72(%rbx), %rdx
	salq	$6, %rcx
	addq	%rax, %rcx
	.p2align 4,,10
	.p2align 3
.L1383:
	vmovupd	(%rax), %zmm4
	addq	$64, %rax
	addq	$4, %rdx
	vextractf64x4	$0x1, %zmm4, %ymm0
	vaddps	%ymm4, %ymm0, %ymm0
	vextractf128	$0x1, %ymm0, %xmm1
	vaddps	%xmm0, %xmm1, %xmm1
	vpermilps	$78, %xmm1, %xmm0
	vaddps	%xmm1, %xmm0, %xmm0
	vmovaps	%xmm0, %xmm1
	vshufps	$85, %xmm0, %xmm0, %xmm0
	vaddss	%xmm0, %xmm1, %xmm1
	vmovss	%xmm1, -4(%rdx)
	cmpq	%rax, %rcx
	jne	.L1383
.L1384:
	movq	8(%rbx), %rax
	movq	64(%rbx), %r9
	movq	32(%rax), %rdx
	testq	%rdx, %rdx
	je	.L1415
	subl	48(%rax), %esi
	movq	192(%rbx), %rax
	imull	%edi, %esi
	addq	$2, %rax
	movslq	%esi, %rsi
	imulq	%rax, %rsi
	leaq	(%rdx,%rsi,4), %r12
	movslq	%edi, %rdx
	movq	%r9, %rsi
	salq	$2, %rdx
	movq	%r12, %rdi
	vzeroupper
	call	memcpy@PLT
	movslq	200(%rbx), %rdx
	movq	72(%rbx), %rsi
	salq	$2, %rdx
	leaq	(%r12,%rdx), %rdi
	call	memcpy@PLT
	movl	200(%rbx), %eax
	movq	88(%rbx), %rsi
	leal	(%rax,%rax), %edx
	movslq	%edx, %rdx
	leaq	(%r12,%rdx,4), %rdi
	movslq	%eax, %rdx
	imulq	192(%rbx), %rdx
	leaq	-32(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	salq	$2, %rdx
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	jmp	memcpy@PLT
	.p2align 4,,10
	.p2align 3
.L1415:
	.cfi_restore_state
	movq	72(%rbx), %r10
	movq	88(%rbx), %r11
	cmpl	%esi, 20(%rax)
	jne	.L1385
	vmovq	80(%rbx), %xmm2
	vmovq	%r9, %xmm3
	vmovdqu	96(%rbx), %ymm5
	vpinsrq	$1, %r10, %xmm3, %xmm0
	vpinsrq	$1, %r11, %xmm2, %xmm1
	vmovdqu	%ymm5, 64(%rbx)
	vinserti128	$0x1, %xmm1, %ymm0, %ymm0
	vmovdqu	%ymm0, 96(%rbx)
.L1413:
	vzeroupper
	leaq	-32(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
	.p2align 4,,10
	.p2align 3
.L1385:
	.cfi_restore_state
	testl	%edi, %edi
	jle	.L1413
	vmovss	.LC27(%rip), %xmm13
	xorl	%edi, %edi
	xorl	%r8d, %r8d
	vbroadcastss	.LC29(%rip), %zmm12
	vbroadcastss	.LC31(%rip), %zmm7
	vbroadcastss	.LC33(%rip), %zmm8
	vbroadcastss	.LC35(%rip), %zmm9
	vbroadcastss	.LC37(%rip), %zmm10
	vbroadcastss	.LC39(%rip), %zmm11
	vbroadcastss	.LC41(%rip), %zmm2
	vbroadcastss	.LC43(%rip), %zmm3
	vbroadcastss	.LC45(%rip), %zmm4
	vbroadcastss	.LC47(%rip), %zmm5
	vbroadcastss	.LC49(%rip), %zmm6
	.p2align 4,,10
	.p2align 3
.L1387:
	movq	104(%rbx), %r12
	movq	96(%rbx), %r13
	leaq	0(,%rdi,4), %r14
	movq	%rdi, %rcx
	vmovss	(%r9,%rdi,4), %xmm0
	movq	192(%rbx), %rsi
	leaq	(%r12,%r14), %rax
	addq	%r13, %r14
	vmovss	(%r10,%rdi,4), %xmm15
	movq	120(%rbx), %rdx
	vmovss	(%r14), %xmm1
	imulq	%rsi, %rcx
	vmaxss	%xmm0, %xmm1, %xmm14
	vucomiss	%xmm14, %xmm13
	ja	.L1389
	vsubss	%xmm14, %xmm1, %xmm1
	vsubss	%xmm14, %xmm0, %xmm0
.L1389:
	vbroadcastss	%xmm1, %zmm1
	vmovaps	%zmm10, %zmm16
	vbroadcastss	%xmm0, %zmm0
	vmovss	%xmm14, (%r14)
	vmaxps	%zmm1, %zmm12, %zmm1
	vmaxps	%zmm0, %zmm12, %zmm0
	vmulps	%zmm7, %zmm1, %zmm17
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm8, %zmm17, %zmm1
	vfmadd231ps	%zmm9, %zmm17, %zmm1
	vmulps	%zmm1, %zmm1, %zmm18
	vfmadd132ps	%zmm1, %zmm11, %zmm16
	vfmadd132ps	%zmm1, %zmm2, %zmm16
	vfmadd132ps	%zmm1, %zmm3, %zmm16
	vfmadd132ps	%zmm1, %zmm4, %zmm16
	vfmadd132ps	%zmm1, %zmm5, %zmm16
	vfmadd231ps	%zmm18, %zmm16, %zmm1
	vaddps	%zmm6, %zmm1, %zmm1
	vscalefps	%zmm17, %zmm1, %zmm16
	vmulps	%zmm7, %zmm0, %zmm17
	vmovaps	%zmm10, %zmm1
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm8, %zmm17, %zmm0
	vfmadd231ps	%zmm9, %zmm17, %zmm0
	vmulps	%zmm0, %zmm0, %zmm18
	vfmadd132ps	%zmm0, %zmm11, %zmm1
	vfmadd132ps	%zmm0, %zmm2, %zmm1
	vfmadd132ps	%zmm0, %zmm3, %zmm1
	vfmadd132ps	%zmm0, %zmm4, %zmm1
	vfmadd132ps	%zmm0, %zmm5, %zmm1
	vfmadd132ps	%zmm18, %zmm0, %zmm1
	vmulss	(%rax), %xmm16, %xmm0
	vaddps	%zmm6, %zmm1, %zmm1
	vscalefps	%zmm17, %zmm1, %zmm1
	vmulss	%xmm15, %xmm1, %xmm14
	vaddss	%xmm14, %xmm0, %xmm0
	vmovss	%xmm0, (%rax)
	testq	%rsi, %rsi
	jle	.L1416
	salq	$2, %rcx
	vbroadcastss	%xmm16, %zmm14
	vbroadcastss	%xmm1, %zmm1
	xorl	%eax, %eax
	addq	%rcx, %rdx
	addq	%r11, %rcx
	.p2align 4,,10
	.p2align 3
.L1400:
	vmulps	(%rdx,%rax,4), %zmm14, %zmm0
	vfmadd231ps	(%rcx,%rax,4), %zmm1, %zmm0
	vmovups	%zmm0, (%rdx,%rax,4)
	addq	$16, %rax
	cmpq	%rax, %rsi
	jg	.L1400
	addl	$1, %r8d
	cmpl	200(%rbx), %r8d
	jge	.L1413
	addq	$1, %rdi
	jmp	.L1387
	.p2align 4,,10
	.p2align 3
.L1416:
	movl	200(%rbx), %esi
	leal	1(%r8), %eax
	cmpl	%esi, %eax
	jge	.L1413
	cltq
.L1393:
	leaq	0(,%rax,4), %rdx
	vmovss	(%r9,%rax,4), %xmm0
	vmovss	(%r10,%rax,4), %xmm14
	leaq	(%r12,%rdx), %rcx
	addq	%r13, %rdx
	vmovss	(%rdx), %xmm1
	vmaxss	%xmm0, %xmm1, %xmm15
	vucomiss	%xmm15, %xmm13
	ja	.L1398
	vsubss	%xmm15, %xmm1, %xmm1
	vsubss	%xmm15, %xmm0, %xmm0
.L1398:
	vbroadcastss	%xmm1, %zmm1
	vmovaps	%zmm10, %zmm16
	vbroadcastss	%xmm0, %zmm0
	vmovss	%xmm15, (%rdx)
	vmaxps	%zmm1, %zmm12, %zmm1
	vmaxps	%zmm0, %zmm12, %zmm0
	addq	$1, %rax
	vmulps	%zmm7, %zmm1, %zmm17
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm8, %zmm17, %zmm1
	vfmadd231ps	%zmm9, %zmm17, %zmm1
	vmulps	%zmm1, %zmm1, %zmm18
	vfmadd132ps	%zmm1, %zmm11, %zmm16
	vfmadd132ps	%zmm1, %zmm2, %zmm16
	vfmadd132ps	%zmm1, %zmm3, %zmm16
	vfmadd132ps	%zmm1, %zmm4, %zmm16
	vfmadd132ps	%zmm1, %zmm5, %zmm16
	vfmadd231ps	%zmm18, %zmm16, %zmm1
	vaddps	%zmm6, %zmm1, %zmm1
	vscalefps	%zmm17, %zmm1, %zmm16
	vmulps	%zmm7, %zmm0, %zmm17
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm8, %zmm17, %zmm0
	vmovaps	%zmm0, %zmm1
	vmovaps	%zmm10, %zmm0
	vfmadd231ps	%zmm9, %zmm17, %zmm1
	vmulps	%zmm1, %zmm1, %zmm18
	vfmadd132ps	%zmm1, %zmm11, %zmm0
	vfmadd132ps	%zmm1, %zmm2, %zmm0
	vfmadd132ps	%zmm1, %zmm3, %zmm0
	vfmadd132ps	%zmm1, %zmm4, %zmm0
	vfmadd132ps	%zmm1, %zmm5, %zmm0
	vfmadd132ps	%zmm18, %zmm1, %zmm0
	vmulss	(%rcx), %xmm16, %xmm1
	vaddps	%zmm6, %zmm0, %zmm0
	vscalefps	%zmm17, %zmm0, %zmm0
	vmulss	%xmm14, %xmm0, %xmm0
	vaddss	%xmm0, %xmm1, %xmm1
	vmovss	%xmm1, (%rcx)
	cmpl	%eax, %esi
	jg	.L1393
	jmp	.L1413
	.cfi_endproc
.LFE7179:
	.size	_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_10Bf16EngineEE16finish_partitionEi, .-_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_10Bf16EngineEE16finish_partitionEi
	.align 2
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE16finish_partitionEi, @function
_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE16finish_partitionEi:
.LFB7191:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	.cfi_offset 14, -24
	.cfi_offset 13, -32
	.cfi_offset 12, -40
	.cfi_offset 3, -48
	movq	%rdi, %rbx
	movl	200(%rdi), %edi
	andq	$-64, %rsp
	testl	%edi, %edi
	jle	.L1422
	movq	80(%rbx), %rax
	movslq	%edi, %rcx
	movq	72(%rbx), %rdx
	salq	$6, %rcx
	addq	%rax, %rcx
	.p2align 4,,10
	.p2align 3
.L1421:
	vmovupd	(%rax), %zmm4
	addq	$64, %rax
	addq	$4, %rdx
	vextractf64x4	$0x1, %zmm4, %ymm0
	vaddps	%ymm4, %ymm0, %ymm0
	vextractf128	$0x1, %ymm0, %xmm1
	vaddps	%xmm0, %xmm1, %xmm1
	vpermilps	$78, %xmm1, %xmm0
	vaddps	%xmm1, %xmm0, %xmm0
	vmovaps	%xmm0, %xmm1
	vshufps	$85, %xmm0, %xmm0, %xmm0
	vaddss	%xmm0, %xmm1, %xmm1
	vmovss	%xmm1, -4(%rdx)
	cmpq	%rax, %rcx
	jne	.L1421
.L1422:
	movq	8(%rbx), %rax
	movq	64(%rbx), %r9
	movq	32(%rax), %rdx
	testq	%rdx, %rdx
	je	.L1453
	subl	48(%rax), %esi
	movq	192(%rbx), %rax
	imull	%edi, %esi
	addq	$2, %rax
	movslq	%esi, %rsi
	imulq	%rax, %rsi
	leaq	(%rdx,%rsi,4), %r12
	movslq	%edi, %rdx
	movq	%r9, %rsi
	salq	$2, %rdx
	movq	%r12, %rdi
	vzeroupper
	call	memcpy@PLT
	movslq	200(%rbx), %rdx
	movq	72(%rbx), %rsi
	salq	$2, %rdx
	leaq	(%r12,%rdx), %rdi
	call	memcpy@PLT
	movl	200(%rbx), %eax
	movq	88(%rbx), %rsi
	leal	(%rax,%rax), %edx
	movslq	%edx, %rdx
	leaq	(%r12,%rdx,4), %rdi
	movslq	%eax, %rdx
	imulq	192(%rbx), %rdx
	leaq	-32(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	salq	$2, %rdx
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	jmp	memcpy@PLT
	.p2align 4,,10
	.p2align 3
.L1453:
	.cfi_restore_state
	movq	72(%rbx), %r10
	movq	88(%rbx), %r11
	cmpl	%esi, 20(%rax)
	jne	.L1423
	vmovq	80(%rbx), %xmm2
	vmovq	%r9, %xmm3
	vmovdqu	96(%rbx), %ymm5
	vpinsrq	$1, %r10, %xmm3, %xmm0
	vpinsrq	$1, %r11, %xmm2, %xmm1
	vmovdqu	%ymm5, 64(%rbx)
	vinserti128	$0x1, %xmm1, %ymm0, %ymm0
	vmovdqu	%ymm0, 96(%rbx)
.L1451:
	vzeroupper
	leaq	-32(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
	.p2align 4,,10
	.p2align 3
.L1423:
	.cfi_restore_state
	testl	%edi, %edi
	jle	.L1451
	vmovss	.LC27(%rip), %xmm13
	xorl	%edi, %edi
	xorl	%r8d, %r8d
	vbroadcastss	.LC29(%rip), %zmm12
	vbroadcastss	.LC31(%rip), %zmm7
	vbroadcastss	.LC33(%rip), %zmm8
	vbroadcastss	.LC35(%rip), %zmm9
	vbroadcastss	.LC37(%rip), %zmm10
	vbroadcastss	.LC39(%rip), %zmm11
	vbroadcastss	.LC41(%rip), %zmm2
	vbroadcastss	.LC43(%rip), %zmm3
	vbroadcastss	.LC45(%rip), %zmm4
	vbroadcastss	.LC47(%rip), %zmm5
	vbroadcastss	.LC49(%rip), %zmm6
	.p2align 4,,10
	.p2align 3
.L1425:
	movq	104(%rbx), %r12
	movq	96(%rbx), %r13
	leaq	0(,%rdi,4), %r14
	movq	%rdi, %rcx
	vmovss	(%r9,%rdi,4), %xmm0
	movq	192(%rbx), %rsi
	leaq	(%r12,%r14), %rax
	addq	%r13, %r14
	vmovss	(%r10,%rdi,4), %xmm15
	movq	120(%rbx), %rdx
	vmovss	(%r14), %xmm1
	imulq	%rsi, %rcx
	vmaxss	%xmm0, %xmm1, %xmm14
	vucomiss	%xmm14, %xmm13
	ja	.L1427
	vsubss	%xmm14, %xmm1, %xmm1
	vsubss	%xmm14, %xmm0, %xmm0
.L1427:
	vbroadcastss	%xmm1, %zmm1
	vmovaps	%zmm10, %zmm16
	vbroadcastss	%xmm0, %zmm0
	vmovss	%xmm14, (%r14)
	vmaxps	%zmm1, %zmm12, %zmm1
	vmaxps	%zmm0, %zmm12, %zmm0
	vmulps	%zmm7, %zmm1, %zmm17
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm8, %zmm17, %zmm1
	vfmadd231ps	%zmm9, %zmm17, %zmm1
	vmulps	%zmm1, %zmm1, %zmm18
	vfmadd132ps	%zmm1, %zmm11, %zmm16
	vfmadd132ps	%zmm1, %zmm2, %zmm16
	vfmadd132ps	%zmm1, %zmm3, %zmm16
	vfmadd132ps	%zmm1, %zmm4, %zmm16
	vfmadd132ps	%zmm1, %zmm5, %zmm16
	vfmadd231ps	%zmm18, %zmm16, %zmm1
	vaddps	%zmm6, %zmm1, %zmm1
	vscalefps	%zmm17, %zmm1, %zmm16
	vmulps	%zmm7, %zmm0, %zmm17
	vmovaps	%zmm10, %zmm1
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm8, %zmm17, %zmm0
	vfmadd231ps	%zmm9, %zmm17, %zmm0
	vmulps	%zmm0, %zmm0, %zmm18
	vfmadd132ps	%zmm0, %zmm11, %zmm1
	vfmadd132ps	%zmm0, %zmm2, %zmm1
	vfmadd132ps	%zmm0, %zmm3, %zmm1
	vfmadd132ps	%zmm0, %zmm4, %zmm1
	vfmadd132ps	%zmm0, %zmm5, %zmm1
	vfmadd132ps	%zmm18, %zmm0, %zmm1
	vmulss	(%rax), %xmm16, %xmm0
	vaddps	%zmm6, %zmm1, %zmm1
	vscalefps	%zmm17, %zmm1, %zmm1
	vmulss	%xmm15, %xmm1, %xmm14
	vaddss	%xmm14, %xmm0, %xmm0
	vmovss	%xmm0, (%rax)
	testq	%rsi, %rsi
	jle	.L1454
	salq	$2, %rcx
	vbroadcastss	%xmm16, %zmm14
	vbroadcastss	%xmm1, %zmm1
	xorl	%eax, %eax
	addq	%rcx, %rdx
	addq	%r11, %rcx
	.p2align 4,,10
	.p2align 3
.L1438:
	vmulps	(%rdx,%rax,4), %zmm14, %zmm0
	vfmadd231ps	(%rcx,%rax,4), %zmm1, %zmm0
	vmovups	%zmm0, (%rdx,%rax,4)
	addq	$16, %rax
	cmpq	%rax, %rsi
	jg	.L1438
	addl	$1, %r8d
	cmpl	200(%rbx), %r8d
	jge	.L1451
	addq	$1, %rdi
	jmp	.L1425
	.p2align 4,,10
	.p2align 3
.L1454:
	movl	200(%rbx), %esi
	leal	1(%r8), %eax
	cmpl	%esi, %eax
	jge	.L1451
	cltq
.L1431:
	leaq	0(,%rax,4), %rdx
	vmovss	(%r9,%rax,4), %xmm0
	vmovss	(%r10,%rax,4), %xmm14
	leaq	(%r12,%rdx), %rcx
	addq	%r13, %rdx
	vmovss	(%rdx), %xmm1
	vmaxss	%xmm0, %xmm1, %xmm15
	vucomiss	%xmm15, %xmm13
	ja	.L1436
	vsubss	%xmm15, %xmm1, %xmm1
	vsubss	%xmm15, %xmm0, %xmm0
.L1436:
	vbroadcastss	%xmm1, %zmm1
	vmovaps	%zmm10, %zmm16
	vbroadcastss	%xmm0, %zmm0
	vmovss	%xmm15, (%rdx)
	vmaxps	%zmm1, %zmm12, %zmm1
	vmaxps	%zmm0, %zmm12, %zmm0
	addq	$1, %rax
	vmulps	%zmm7, %zmm1, %zmm17
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm8, %zmm17, %zmm1
	vfmadd231ps	%zmm9, %zmm17, %zmm1
	vmulps	%zmm1, %zmm1, %zmm18
	vfmadd132ps	%zmm1, %zmm11, %zmm16
	vfmadd132ps	%zmm1, %zmm2, %zmm16
	vfmadd132ps	%zmm1, %zmm3, %zmm16
	vfmadd132ps	%zmm1, %zmm4, %zmm16
	vfmadd132ps	%zmm1, %zmm5, %zmm16
	vfmadd231ps	%zmm18, %zmm16, %zmm1
	vaddps	%zmm6, %zmm1, %zmm1
	vscalefps	%zmm17, %zmm1, %zmm16
	vmulps	%zmm7, %zmm0, %zmm17
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm8, %zmm17, %zmm0
	vmovaps	%zmm0, %zmm1
	vmovaps	%zmm10, %zmm0
	vfmadd231ps	%zmm9, %zmm17, %zmm1
	vmulps	%zmm1, %zmm1, %zmm18
	vfmadd132ps	%zmm1, %zmm11, %zmm0
	vfmadd132ps	%zmm1, %zmm2, %zmm0
	vfmadd132ps	%zmm1, %zmm3, %zmm0
	vfmadd132ps	%zmm1, %zmm4, %zmm0
	vfmadd132ps	%zmm1, %zmm5, %zmm0
	vfmadd132ps	%zmm18, %zmm1, %zmm0
	vmulss	(%rcx), %xmm16, %xmm1
	vaddps	%zmm6, %zmm0, %zmm0
	vscalefps	%zmm17, %zmm0, %zmm0
	vmulss	%xmm14, %xmm0, %xmm0
	vaddss	%xmm0, %xmm1, %xmm1
	vmovss	%xmm1, (%rcx)
	cmpl	%eax, %esi
	jg	.L1431
	jmp	.L1451
	.cfi_endproc
.LFE7191:
	.size	_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE16finish_partitionEi, .-_ZN10torchpaged12_GLOBAL__N_110UnitWorkerINS0_11FloatEngineEE16finish_partitionEi
	.align 2
	.p2align 4
	.type	_ZZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEfENKUlT_E_clINS0_7Float32EEEDaS7_.constprop.0, @function
_ZZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEfENKUlT_E_clINS0_7Float32EEEDaS7_.constprop.0:
.LFB7930:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	andq	$-64, %rsp
	subq	$520, %rsp
	vbroadcastss	.LC1(%rip), %zmm0
	movq	(%rdi), %rax
	movq	16(%rax), %rdx
	movq	(%rax), %rsi
	vmovups	%zmm0, -32(%rsp)
	vmovups	%zmm0, 32(%rsp)
	leaq	127(%rdx), %r8
	testq	%rdx, %rdx
	movq	%rdx, %rax
	vmovups	%zmm0, 96(%rsp)
	cmovs	%r8, %rax
	leaq	254(%rdx), %rcx
	vmovups	%zmm0, 160(%rsp)
	vmovups	%zmm0, 224(%rsp)
	vmovups	%zmm0, 288(%rsp)
	movq	%rax, %r9
	vmovups	%zmm0, 352(%rsp)
	sarq	$7, %r9
	testq	%r8, %r8
	vmovups	%zmm0, 416(%rsp)
	cmovns	%r8, %rcx
	andq	$-128, %rax
	sarq	$7, %rcx
	cmpq	%rax, %rdx
	jle	.L1460
	movq	%rax, %r8
	negq	%r8
	leaq	-56(%rsp,%r8,4), %r8
	.p2align 4,,10
	.p2align 3
.L1459:
	vmovss	(%rsi,%rax,4), %xmm0
	vmovss	%xmm0, 24(%r8,%rax,4)
	addq	$1, %rax
	vmovss	%xmm0, -120(%rsp)
	cmpq	%rax, %rdx
	jne	.L1459
.L1460:
	xorl	%eax, %eax
	testq	%rdx, %rdx
	jle	.L1455
	movq	8(%rdi), %rax
	movq	(%rax), %r8
	movq	16(%rdi), %rax
	vmovss	(%rax), %xmm3
	vbroadcastss	%xmm3, %zmm4
	cmpq	$127, %rdx
	jle	.L1467
	cmpq	%rcx, %r9
	movl	$1, %edi
	vpternlogd	$0xFF, %zmm5, %zmm5, %zmm5
	cmovg	%rcx, %r9
	vpbroadcastd	%edi, %zmm6
	xorl	%eax, %eax
	xorl	%edx, %edx
	.p2align 4,,10
	.p2align 3
.L1463:
	vmovss	(%r8,%rdx,4), %xmm0
	vucomiss	%xmm3, %xmm0
	jbe	.L1462
	vcmpps	$1, (%rsi), %zmm4, %k1
	vmovdqa32	%zmm6, %zmm0{%k1}{z}
	vcmpps	$1, 64(%rsi), %zmm4, %k1
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vcmpps	$1, 128(%rsi), %zmm4, %k1
	vpsubd	%zmm1, %zmm0, %zmm0
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vcmpps	$1, 192(%rsi), %zmm4, %k1
	vpsubd	%zmm1, %zmm0, %zmm0
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vcmpps	$1, 256(%rsi), %zmm4, %k1
	vpsubd	%zmm1, %zmm0, %zmm0
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vcmpps	$1, 320(%rsi), %zmm4, %k1
	vpsubd	%zmm1, %zmm0, %zmm0
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vcmpps	$1, 384(%rsi), %zmm4, %k1
	vpsubd	%zmm1, %zmm0, %zmm0
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vcmpps	$1, 448(%rsi), %zmm4, %k1
	vpsubd	%zmm1, %zmm0, %zmm0
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm0, %zmm0
	vextracti32x4	$1, %ymm0, %xmm7
	vmovd	%xmm0, %edi
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vpextrd	$1, %xmm0, %eax
	cltq
	addq	%rdi, %rax
	vpextrd	$2, %xmm0, %edi
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vpextrd	$3, %xmm0, %eax
	cltq
	addq	%rdi, %rax
	vmovd	%xmm7, %edi
	valignd	$5, %ymm0, %ymm0, %ymm7
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vmovd	%xmm7, %eax
	valignd	$6, %ymm0, %ymm0, %ymm7
	cltq
	addq	%rdi, %rax
	vmovd	%xmm7, %edi
	valignd	$7, %ymm0, %ymm0, %ymm7
	movslq	%edi, %rdi
	vextracti32x8	$0x1, %zmm0, %ymm0
	valignd	$5, %ymm0, %ymm0, %ymm2
	addq	%rax, %rdi
	vmovd	%xmm7, %eax
	vextracti32x4	$1, %ymm0, %xmm7
	cltq
	addq	%rdi, %rax
	vmovd	%xmm0, %edi
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vpextrd	$1, %xmm0, %eax
	cltq
	addq	%rdi, %rax
	vpextrd	$2, %xmm0, %edi
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vpextrd	$3, %xmm0, %eax
	cltq
	addq	%rdi, %rax
	vmovd	%xmm7, %edi
	valignd	$6, %ymm0, %ymm0, %ymm7
	movslq	%edi, %rdi
	addq	%rdi, %rax
	vmovd	%xmm2, %edi
	valignd	$7, %ymm0, %ymm0, %ymm2
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vmovd	%xmm7, %eax
	cltq
	addq	%rax, %rdi
	vmovd	%xmm2, %eax
	cltq
	addq	%rdi, %rax
.L1462:
	addq	$1, %rdx
	addq	$512, %rsi
	cmpq	%r9, %rdx
	jl	.L1463
	cmpq	%rcx, %rdx
	jge	.L1455
.L1461:
	vpternlogd	$0xFF, %zmm0, %zmm0, %zmm0
	movl	$1, %esi
	vcmpps	$1, 352(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm1{%k1}{z}
	vcmpps	$1, 288(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm5{%k1}{z}
	vcmpps	$1, 224(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm6{%k1}{z}
	vcmpps	$1, 160(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm7{%k1}{z}
	vcmpps	$1, 96(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm8{%k1}{z}
	vcmpps	$1, 32(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm9{%k1}{z}
	vcmpps	$1, -32(%rsp), %zmm4, %k1
	vpbroadcastd	%esi, %zmm2{%k1}{z}
	vcmpps	$1, 416(%rsp), %zmm4, %k1
	vpsubd	%zmm9, %zmm2, %zmm2
	vpsubd	%zmm8, %zmm2, %zmm2
	vpsubd	%zmm7, %zmm2, %zmm2
	vpsubd	%zmm6, %zmm2, %zmm2
	vpsubd	%zmm5, %zmm2, %zmm2
	vpsubd	%zmm1, %zmm2, %zmm2
	vmovdqa32	%zmm0, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm2, %zmm2
	vmovd	%xmm2, %r9d
	vpextrd	$1, %xmm2, %edi
	vmovdqa	%ymm2, %ymm4
	vmovdqa	%xmm2, %xmm5
	movslq	%r9d, %r9
	movslq	%edi, %rdi
	.p2align 4,,10
	.p2align 3
.L1465:
	vmovss	(%r8,%rdx,4), %xmm0
	vucomiss	%xmm3, %xmm0
	jbe	.L1464
	vextracti32x4	$1, %ymm4, %xmm6
	addq	%r9, %rax
	vpextrd	$2, %xmm5, %esi
	vextracti32x8	$0x1, %zmm2, %ymm1
	valignd	$6, %ymm1, %ymm1, %ymm7
	addq	%rdi, %rax
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vpextrd	$3, %xmm5, %eax
	cltq
	addq	%rsi, %rax
	vmovd	%xmm6, %esi
	valignd	$5, %ymm4, %ymm4, %ymm6
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vmovd	%xmm6, %eax
	valignd	$6, %ymm4, %ymm4, %ymm6
	cltq
	addq	%rsi, %rax
	vmovd	%xmm6, %esi
	valignd	$7, %ymm4, %ymm4, %ymm6
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vmovd	%xmm6, %eax
	vextracti32x4	$1, %ymm1, %xmm6
	cltq
	addq	%rsi, %rax
	vmovd	%xmm1, %esi
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vpextrd	$1, %xmm1, %eax
	cltq
	addq	%rsi, %rax
	vpextrd	$2, %xmm1, %esi
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vpextrd	$3, %xmm1, %eax
	cltq
	addq	%rsi, %rax
	vmovd	%xmm6, %esi
	valignd	$5, %ymm1, %ymm1, %ymm6
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vmovd	%xmm6, %eax
	valignd	$7, %ymm1, %ymm1, %ymm6
	cltq
	addq	%rsi, %rax
	vmovd	%xmm7, %esi
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vmovd	%xmm6, %eax
	cltq
	addq	%rsi, %rax
.L1464:
	addq	$1, %rdx
	cmpq	%rdx, %rcx
	jg	.L1465
.L1455:
	vzeroupper
	leave
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L1467:
	.cfi_restore_state
	xorl	%eax, %eax
	xorl	%edx, %edx
	jmp	.L1461
	.cfi_endproc
.LFE7930:
	.size	_ZZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEfENKUlT_E_clINS0_7Float32EEEDaS7_.constprop.0, .-_ZZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEfENKUlT_E_clINS0_7Float32EEEDaS7_.constprop.0
	.align 2
	.p2align 4
	.type	_ZZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenEENKUlT_E_clINS0_7Float32EEEDaS9_.constprop.0, @function
_ZZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenEENKUlT_E_clINS0_7Float32EEEDaS9_.constprop.0:
.LFB7932:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	movq	%rdi, %r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	subq	$584, %rsp
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	vbroadcastss	.LC1(%rip), %zmm0
	movq	(%rdi), %rdx
	movq	16(%rdx), %rax
	movq	(%rdx), %rbx
	vmovups	%zmm0, 32(%rsp)
	vmovups	%zmm0, 96(%rsp)
	leaq	127(%rax), %rdx
	testq	%rax, %rax
	movq	%rax, %r15
	movq	%rbx, 8(%rsp)
	cmovs	%rdx, %r15
	leaq	254(%rax), %r9
	vmovups	%zmm0, 160(%rsp)
	vmovups	%zmm0, 224(%rsp)
	vmovups	%zmm0, 288(%rsp)
	sarq	$7, %r15
	testq	%rdx, %rdx
	cmovns	%rdx, %r9
	movq	%r15, %rdx
	movq	%r15, 16(%rsp)
	vmovups	%zmm0, 352(%rsp)
	salq	$7, %rdx
	vmovups	%zmm0, 416(%rsp)
	sarq	$7, %r9
	movq	%r9, 24(%rsp)
	vmovups	%zmm0, 480(%rsp)
	cmpq	%rdx, %rax
	jle	.L1477
	movq	%rdx, %rcx
	negq	%rcx
	leaq	8(%rsp,%rcx,4), %rcx
	.p2align 4,,10
	.p2align 3
.L1476:
	vmovss	(%rbx,%rdx,4), %xmm0
	vmovss	%xmm0, 24(%rcx,%rdx,4)
	addq	$1, %rdx
	vmovss	%xmm0, -56(%rsp)
	cmpq	%rdx, %rax
	jne	.L1476
.L1477:
	xorl	%edx, %edx
	testq	%rax, %rax
	jle	.L1472
	movq	8(%r13), %rdx
	movq	16(%r13), %rsi
	movq	(%rdx), %r14
	cmpq	$127, %rax
	jle	.L1518
	cmpq	%r9, %r15
	movl	$143, %r11d
	vpternlogd	$0xFF, %zmm4, %zmm4, %zmm4
	cmovg	%r9, %r15
	xorl	%r12d, %r12d
	xorl	%edx, %edx
	xorl	%r8d, %r8d
	.p2align 4,,10
	.p2align 3
.L1497:
	vmovss	(%rsi), %xmm0
	vmovss	(%r14,%r8,4), %xmm1
	vucomiss	%xmm0, %xmm1
	jnb	.L1722
.L1479:
	addq	$1, %r8
	subq	$-128, %r11
	subq	$-128, %r12
	addq	$512, %rbx
	cmpq	%r15, %r8
	jl	.L1497
	cmpq	%r9, %r8
	jge	.L1472
.L1478:
	movq	%r8, %rbx
	leaq	480(%rsp), %r11
	vpternlogd	$0xFF, %zmm4, %zmm4, %zmm4
	salq	$7, %rbx
	jmp	.L1516
	.p2align 4,,10
	.p2align 3
.L1498:
	addq	$1, %r8
	subq	$-128, %rbx
	cmpq	%r8, %r9
	jle	.L1472
.L1516:
	vmovss	(%rsi), %xmm0
	vmovss	(%r14,%r8,4), %xmm1
	vucomiss	%xmm0, %xmm1
	jb	.L1498
	leaq	32(%rsp), %rdi
	leaq	15(%rbx), %rcx
	movl	%ebx, %r10d
	jmp	.L1515
	.p2align 4,,10
	.p2align 3
.L1499:
	addq	$16, %rcx
	addl	$16, %r10d
	cmpq	%rdi, %r11
	je	.L1498
	vmovss	(%rsi), %xmm0
	addq	$64, %rdi
.L1515:
	vmovups	(%rdi), %zmm2
	vbroadcastss	%xmm0, %zmm1
	vcmpps	$2, %zmm2, %zmm1, %k1
	vmovdqa32	%zmm4, %zmm1{%k1}{z}
	vpmovd2m	%zmm1, %k0
	kortestw	%k0, %k0
	je	.L1499
	leaq	-15(%rcx), %r12
	vmovaps	%ymm2, %ymm1
	cmpq	%r12, %rax
	jle	.L1500
	vcomiss	%xmm0, %xmm2
	jb	.L1500
	movq	24(%r13), %r12
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r10d, 4(%r12)
	vmovss	%xmm2, (%r12)
	vmovss	(%rsi), %xmm0
.L1500:
	leaq	-14(%rcx), %r12
	vshufps	$85, %xmm1, %xmm1, %xmm3
	cmpq	%r12, %rax
	jle	.L1501
	vcomiss	%xmm0, %xmm3
	jb	.L1501
	movq	24(%r13), %r12
	leal	1(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm3, (%r12)
	vmovss	(%rsi), %xmm0
.L1501:
	leaq	-13(%rcx), %r12
	vunpckhps	%xmm1, %xmm1, %xmm3
	cmpq	%r12, %rax
	jle	.L1502
	vcomiss	%xmm0, %xmm3
	jb	.L1502
	movq	24(%r13), %r12
	leal	2(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm3, (%r12)
	vmovss	(%rsi), %xmm0
.L1502:
	leaq	-12(%rcx), %r12
	vshufps	$255, %xmm1, %xmm1, %xmm3
	cmpq	%r12, %rax
	jle	.L1503
	vcomiss	%xmm0, %xmm3
	jb	.L1503
	movq	24(%r13), %r12
	leal	3(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm3, (%r12)
	vmovss	(%rsi), %xmm0
.L1503:
	vextractf32x4	$1, %ymm1, %xmm3
	leaq	-11(%rcx), %r12
	cmpq	%r12, %rax
	jle	.L1504
	vcomiss	%xmm0, %xmm3
	jb	.L1504
	movq	24(%r13), %r12
	leal	4(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm3, (%r12)
	vmovss	(%rsi), %xmm0
.L1504:
	valignd	$5, %ymm1, %ymm1, %ymm3
	leaq	-10(%rcx), %r12
	cmpq	%r12, %rax
	jle	.L1505
	vcomiss	%xmm0, %xmm3
	jb	.L1505
	movq	24(%r13), %r12
	leal	5(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm3, (%r12)
	vmovss	(%rsi), %xmm0
.L1505:
	valignd	$6, %ymm1, %ymm1, %ymm3
	leaq	-9(%rcx), %r12
	cmpq	%r12, %rax
	jle	.L1506
	vcomiss	%xmm0, %xmm3
	jb	.L1506
	movq	24(%r13), %r12
	leal	6(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm3, (%r12)
	vmovss	(%rsi), %xmm0
.L1506:
	valignd	$7, %ymm1, %ymm1, %ymm1
	leaq	-8(%rcx), %r12
	cmpq	%r12, %rax
	jle	.L1507
	vcomiss	%xmm0, %xmm1
	jb	.L1507
	movq	24(%r13), %r12
	leal	7(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm1, (%r12)
	vmovss	(%rsi), %xmm0
.L1507:
	leaq	-7(%rcx), %r12
	vextractf32x8	$0x1, %zmm2, %ymm1
	vextractf32x4	$2, %zmm2, %xmm2
	cmpq	%r12, %rax
	jle	.L1508
	vcomiss	%xmm0, %xmm2
	jb	.L1508
	movq	24(%r13), %r12
	leal	8(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm2, (%r12)
	vmovss	(%rsi), %xmm0
.L1508:
	leaq	-6(%rcx), %r12
	vshufps	$85, %xmm1, %xmm1, %xmm2
	cmpq	%r12, %rax
	jle	.L1509
	vcomiss	%xmm0, %xmm2
	jb	.L1509
	movq	24(%r13), %r12
	leal	9(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm2, (%r12)
	vmovss	(%rsi), %xmm0
.L1509:
	leaq	-5(%rcx), %r12
	vunpckhps	%xmm1, %xmm1, %xmm2
	cmpq	%r12, %rax
	jle	.L1510
	vcomiss	%xmm0, %xmm2
	jb	.L1510
	movq	24(%r13), %r12
	leal	10(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm2, (%r12)
	vmovss	(%rsi), %xmm0
.L1510:
	leaq	-4(%rcx), %r12
	vshufps	$255, %xmm1, %xmm1, %xmm2
	cmpq	%r12, %rax
	jle	.L1511
	vcomiss	%xmm0, %xmm2
	jb	.L1511
	movq	24(%r13), %r12
	leal	11(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm2, (%r12)
	vmovss	(%rsi), %xmm0
.L1511:
	vextractf32x4	$1, %ymm1, %xmm2
	leaq	-3(%rcx), %r12
	cmpq	%r12, %rax
	jle	.L1512
	vcomiss	%xmm0, %xmm2
	jb	.L1512
	movq	24(%r13), %r12
	leal	12(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm2, (%r12)
	vmovss	(%rsi), %xmm0
.L1512:
	valignd	$5, %ymm1, %ymm1, %ymm2
	leaq	-2(%rcx), %r12
	cmpq	%r12, %rax
	jle	.L1513
	vcomiss	%xmm0, %xmm2
	jb	.L1513
	movq	24(%r13), %r12
	leal	13(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm2, (%r12)
	vmovss	(%rsi), %xmm0
.L1513:
	valignd	$6, %ymm1, %ymm1, %ymm2
	leaq	-1(%rcx), %r12
	cmpq	%r12, %rax
	jle	.L1514
	vcomiss	%xmm0, %xmm2
	jb	.L1514
	movq	24(%r13), %r12
	leal	14(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm2, (%r12)
	vmovss	(%rsi), %xmm0
.L1514:
	valignd	$7, %ymm1, %ymm1, %ymm1
	cmpq	%rcx, %rax
	jle	.L1499
	vcomiss	%xmm0, %xmm1
	jb	.L1499
	movq	24(%r13), %r12
	leal	15(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm1, (%r12)
	jmp	.L1499
.L1472:
	vzeroupper
	leaq	-40(%rbp), %rsp
	movq	%rdx, %rax
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L1518:
	.cfi_restore_state
	xorl	%edx, %edx
	xorl	%r8d, %r8d
	jmp	.L1478
.L1722:
	movq	%r8, -64(%rsp)
	leaq	-128(%r11), %rcx
	movl	%r12d, %edi
	movq	%rbx, %r10
	vmovq	%r14, %xmm5
	jmp	.L1496
	.p2align 4,,10
	.p2align 3
.L1480:
	addq	$16, %rcx
	addq	$64, %r10
	addl	$16, %edi
	cmpq	%rcx, %r11
	je	.L1720
.L1723:
	vmovss	(%rsi), %xmm0
.L1496:
	vmovups	(%r10), %zmm2
	vbroadcastss	%xmm0, %zmm1
	vcmpps	$2, %zmm2, %zmm1, %k1
	vmovdqa32	%zmm4, %zmm1{%k1}{z}
	vpmovd2m	%zmm1, %k0
	kortestw	%k0, %k0
	je	.L1480
	leaq	-15(%rcx), %r14
	vmovaps	%ymm2, %ymm1
	cmpq	%r14, %rax
	jle	.L1481
	vcomiss	%xmm0, %xmm2
	jb	.L1481
	movq	24(%r13), %r14
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%edi, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rsi), %xmm0
.L1481:
	leaq	-14(%rcx), %r14
	vshufps	$85, %xmm1, %xmm1, %xmm3
	cmpq	%r14, %rax
	jle	.L1482
	vcomiss	%xmm0, %xmm3
	jb	.L1482
	movq	24(%r13), %r14
	leal	1(%rdi), %r8d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rsi), %xmm0
.L1482:
	leaq	-13(%rcx), %r14
	vunpckhps	%xmm1, %xmm1, %xmm3
	cmpq	%r14, %rax
	jle	.L1483
	vcomiss	%xmm0, %xmm3
	jb	.L1483
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	2(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rsi), %xmm0
.L1483:
	leaq	-12(%rcx), %r14
	vshufps	$255, %xmm1, %xmm1, %xmm3
	cmpq	%r14, %rax
	jle	.L1484
	vcomiss	%xmm0, %xmm3
	jb	.L1484
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	3(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rsi), %xmm0
.L1484:
	vextractf32x4	$1, %ymm1, %xmm3
	leaq	-11(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L1485
	vcomiss	%xmm0, %xmm3
	jb	.L1485
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	4(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rsi), %xmm0
.L1485:
	valignd	$5, %ymm1, %ymm1, %ymm3
	leaq	-10(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L1486
	vcomiss	%xmm0, %xmm3
	jb	.L1486
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	5(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rsi), %xmm0
.L1486:
	valignd	$6, %ymm1, %ymm1, %ymm3
	leaq	-9(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L1487
	vcomiss	%xmm0, %xmm3
	jb	.L1487
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	6(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rsi), %xmm0
.L1487:
	valignd	$7, %ymm1, %ymm1, %ymm1
	leaq	-8(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L1488
	vcomiss	%xmm0, %xmm1
	jb	.L1488
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	7(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm1, (%r14)
	vmovss	(%rsi), %xmm0
.L1488:
	leaq	-7(%rcx), %r14
	vextractf32x8	$0x1, %zmm2, %ymm1
	vextractf32x4	$2, %zmm2, %xmm2
	cmpq	%r14, %rax
	jle	.L1489
	vcomiss	%xmm0, %xmm2
	jb	.L1489
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	8(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rsi), %xmm0
.L1489:
	leaq	-6(%rcx), %r14
	vshufps	$85, %xmm1, %xmm1, %xmm2
	cmpq	%r14, %rax
	jle	.L1490
	vcomiss	%xmm0, %xmm2
	jb	.L1490
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	9(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rsi), %xmm0
.L1490:
	leaq	-5(%rcx), %r14
	vunpckhps	%xmm1, %xmm1, %xmm2
	cmpq	%r14, %rax
	jle	.L1491
	vcomiss	%xmm0, %xmm2
	jb	.L1491
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	10(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rsi), %xmm0
.L1491:
	leaq	-4(%rcx), %r14
	vshufps	$255, %xmm1, %xmm1, %xmm2
	cmpq	%r14, %rax
	jle	.L1492
	vcomiss	%xmm0, %xmm2
	jb	.L1492
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	11(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rsi), %xmm0
.L1492:
	vextractf32x4	$1, %ymm1, %xmm2
	leaq	-3(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L1493
	vcomiss	%xmm0, %xmm2
	jb	.L1493
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	12(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rsi), %xmm0
.L1493:
	valignd	$5, %ymm1, %ymm1, %ymm2
	leaq	-2(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L1494
	vcomiss	%xmm0, %xmm2
	jb	.L1494
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	13(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rsi), %xmm0
.L1494:
	valignd	$6, %ymm1, %ymm1, %ymm2
	leaq	-1(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L1495
	vcomiss	%xmm0, %xmm2
	jb	.L1495
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	14(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rsi), %xmm0
.L1495:
	valignd	$7, %ymm1, %ymm1, %ymm1
	cmpq	%rcx, %rax
	jle	.L1480
	vcomiss	%xmm0, %xmm1
	jb	.L1480
	movq	24(%r13), %r8
	addq	$16, %rcx
	addq	$64, %r10
	movq	(%r8), %r14
	leal	15(%rdi), %r8d
	addl	$16, %edi
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm1, (%r14)
	cmpq	%rcx, %r11
	jne	.L1723
.L1720:
	movq	-64(%rsp), %r8
	vmovq	%xmm5, %r14
	jmp	.L1479
	.cfi_endproc
.LFE7932:
	.size	_ZZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenEENKUlT_E_clINS0_7Float32EEEDaS9_.constprop.0, .-_ZZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenEENKUlT_E_clINS0_7Float32EEEDaS9_.constprop.0
	.align 2
	.p2align 4
	.type	_ZZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEfENKUlT_E_clINS0_7Float16EEEDaS7_.constprop.0, @function
_ZZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEfENKUlT_E_clINS0_7Float16EEEDaS7_.constprop.0:
.LFB7933:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	andq	$-64, %rsp
	subq	$520, %rsp
	vbroadcastss	.LC1(%rip), %zmm0
	movq	(%rdi), %rax
	movq	16(%rax), %r8
	movq	(%rax), %rsi
	vmovups	%zmm0, -32(%rsp)
	vmovups	%zmm0, 32(%rsp)
	leaq	127(%r8), %rdx
	testq	%r8, %r8
	movq	%r8, %rax
	vmovups	%zmm0, 96(%rsp)
	cmovs	%rdx, %rax
	leaq	254(%r8), %rcx
	vmovups	%zmm0, 160(%rsp)
	vmovups	%zmm0, 224(%rsp)
	vmovups	%zmm0, 288(%rsp)
	movq	%rax, %r10
	vmovups	%zmm0, 352(%rsp)
	sarq	$7, %r10
	testq	%rdx, %rdx
	vmovups	%zmm0, 416(%rsp)
	cmovns	%rdx, %rcx
	andq	$-128, %rax
	sarq	$7, %rcx
	cmpq	%rax, %r8
	jle	.L1729
	movq	%rax, %rdx
	vpxor	%xmm1, %xmm1, %xmm1
	negq	%rdx
	leaq	-56(%rsp,%rdx,4), %r9
	.p2align 4,,10
	.p2align 3
.L1728:
	movzwl	(%rsi,%rax,2), %edx
	vmovdqu8	%xmm1, -86(%rsp)
	vmovdqu8	%xmm1, -72(%rsp)
	movw	%dx, -88(%rsp)
	vcvtph2ps	-88(%rsp), %zmm0
	vmovss	%xmm0, 24(%r9,%rax,4)
	addq	$1, %rax
	cmpq	%rax, %r8
	jne	.L1728
.L1729:
	xorl	%eax, %eax
	testq	%r8, %r8
	jle	.L1724
	movq	8(%rdi), %rax
	movq	(%rax), %r9
	movq	16(%rdi), %rax
	vmovss	(%rax), %xmm3
	vbroadcastss	%xmm3, %zmm4
	cmpq	$127, %r8
	jle	.L1736
	cmpq	%rcx, %r10
	movl	$1, %edi
	vpternlogd	$0xFF, %zmm5, %zmm5, %zmm5
	cmovg	%rcx, %r10
	vpbroadcastd	%edi, %zmm6
	xorl	%eax, %eax
	xorl	%edx, %edx
	.p2align 4,,10
	.p2align 3
.L1732:
	vmovss	(%r9,%rdx,4), %xmm0
	vucomiss	%xmm3, %xmm0
	jbe	.L1731
	vcvtph2ps	(%rsi), %zmm0
	vcmpps	$1, %zmm0, %zmm4, %k1
	vcvtph2ps	32(%rsi), %zmm1
	vmovdqa32	%zmm6, %zmm0{%k1}{z}
	vcmpps	$1, %zmm1, %zmm4, %k1
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm0, %zmm0
	vcvtph2ps	64(%rsi), %zmm1
	vcmpps	$1, %zmm1, %zmm4, %k1
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm0, %zmm0
	vcvtph2ps	96(%rsi), %zmm1
	vcmpps	$1, %zmm1, %zmm4, %k1
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm0, %zmm0
	vcvtph2ps	128(%rsi), %zmm1
	vcmpps	$1, %zmm1, %zmm4, %k1
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm0, %zmm0
	vcvtph2ps	160(%rsi), %zmm1
	vcmpps	$1, %zmm1, %zmm4, %k1
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm0, %zmm0
	vcvtph2ps	192(%rsi), %zmm1
	vcmpps	$1, %zmm1, %zmm4, %k1
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm0, %zmm0
	vcvtph2ps	224(%rsi), %zmm1
	vcmpps	$1, %zmm1, %zmm4, %k1
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm0, %zmm0
	vextracti32x4	$1, %ymm0, %xmm7
	vmovd	%xmm0, %edi
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vpextrd	$1, %xmm0, %eax
	cltq
	addq	%rdi, %rax
	vpextrd	$2, %xmm0, %edi
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vpextrd	$3, %xmm0, %eax
	cltq
	addq	%rdi, %rax
	vmovd	%xmm7, %edi
	valignd	$5, %ymm0, %ymm0, %ymm7
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vmovd	%xmm7, %eax
	valignd	$6, %ymm0, %ymm0, %ymm7
	cltq
	addq	%rdi, %rax
	vmovd	%xmm7, %edi
	valignd	$7, %ymm0, %ymm0, %ymm7
	movslq	%edi, %rdi
	vextracti32x8	$0x1, %zmm0, %ymm0
	valignd	$5, %ymm0, %ymm0, %ymm2
	addq	%rax, %rdi
	vmovd	%xmm7, %eax
	vextracti32x4	$1, %ymm0, %xmm7
	cltq
	addq	%rdi, %rax
	vmovd	%xmm0, %edi
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vpextrd	$1, %xmm0, %eax
	cltq
	addq	%rdi, %rax
	vpextrd	$2, %xmm0, %edi
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vpextrd	$3, %xmm0, %eax
	cltq
	addq	%rdi, %rax
	vmovd	%xmm7, %edi
	valignd	$6, %ymm0, %ymm0, %ymm7
	movslq	%edi, %rdi
	addq	%rdi, %rax
	vmovd	%xmm2, %edi
	valignd	$7, %ymm0, %ymm0, %ymm2
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vmovd	%xmm7, %eax
	cltq
	addq	%rax, %rdi
	vmovd	%xmm2, %eax
	cltq
	addq	%rdi, %rax
.L1731:
	addq	$1, %rdx
	addq	$256, %rsi
	cmpq	%r10, %rdx
	jl	.L1732
	cmpq	%rcx, %rdx
	jge	.L1724
.L1730:
	vpternlogd	$0xFF, %zmm0, %zmm0, %zmm0
	movl	$1, %esi
	vcmpps	$1, 352(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm1{%k1}{z}
	vcmpps	$1, 288(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm5{%k1}{z}
	vcmpps	$1, 224(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm6{%k1}{z}
	vcmpps	$1, 160(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm7{%k1}{z}
	vcmpps	$1, 96(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm8{%k1}{z}
	vcmpps	$1, 32(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm9{%k1}{z}
	vcmpps	$1, -32(%rsp), %zmm4, %k1
	vpbroadcastd	%esi, %zmm2{%k1}{z}
	vcmpps	$1, 416(%rsp), %zmm4, %k1
	vpsubd	%zmm9, %zmm2, %zmm2
	vpsubd	%zmm8, %zmm2, %zmm2
	vpsubd	%zmm7, %zmm2, %zmm2
	vpsubd	%zmm6, %zmm2, %zmm2
	vpsubd	%zmm5, %zmm2, %zmm2
	vpsubd	%zmm1, %zmm2, %zmm2
	vmovdqa32	%zmm0, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm2, %zmm2
	vmovd	%xmm2, %r8d
	vpextrd	$1, %xmm2, %edi
	vmovdqa	%ymm2, %ymm4
	vmovdqa	%xmm2, %xmm5
	movslq	%r8d, %r8
	movslq	%edi, %rdi
	.p2align 4,,10
	.p2align 3
.L1734:
	vmovss	(%r9,%rdx,4), %xmm0
	vucomiss	%xmm3, %xmm0
	jbe	.L1733
	vextracti32x4	$1, %ymm4, %xmm6
	addq	%r8, %rax
	vpextrd	$2, %xmm5, %esi
	vextracti32x8	$0x1, %zmm2, %ymm1
	valignd	$6, %ymm1, %ymm1, %ymm7
	addq	%rdi, %rax
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vpextrd	$3, %xmm5, %eax
	cltq
	addq	%rsi, %rax
	vmovd	%xmm6, %esi
	valignd	$5, %ymm4, %ymm4, %ymm6
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vmovd	%xmm6, %eax
	valignd	$6, %ymm4, %ymm4, %ymm6
	cltq
	addq	%rsi, %rax
	vmovd	%xmm6, %esi
	valignd	$7, %ymm4, %ymm4, %ymm6
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vmovd	%xmm6, %eax
	vextracti32x4	$1, %ymm1, %xmm6
	cltq
	addq	%rsi, %rax
	vmovd	%xmm1, %esi
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vpextrd	$1, %xmm1, %eax
	cltq
	addq	%rsi, %rax
	vpextrd	$2, %xmm1, %esi
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vpextrd	$3, %xmm1, %eax
	cltq
	addq	%rsi, %rax
	vmovd	%xmm6, %esi
	valignd	$5, %ymm1, %ymm1, %ymm6
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vmovd	%xmm6, %eax
	valignd	$7, %ymm1, %ymm1, %ymm6
	cltq
	addq	%rsi, %rax
	vmovd	%xmm7, %esi
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vmovd	%xmm6, %eax
	cltq
	addq	%rsi, %rax
.L1733:
	addq	$1, %rdx
	cmpq	%rdx, %rcx
	jg	.L1734
.L1724:
	vzeroupper
	leave
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L1736:
	.cfi_restore_state
	xorl	%eax, %eax
	xorl	%edx, %edx
	jmp	.L1730
	.cfi_endproc
.LFE7933:
	.size	_ZZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEfENKUlT_E_clINS0_7Float16EEEDaS7_.constprop.0, .-_ZZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEfENKUlT_E_clINS0_7Float16EEEDaS7_.constprop.0
	.align 2
	.p2align 4
	.type	_ZNK10torchpaged12_GLOBAL__N_111PanelFinish3rowINS0_8BFloat16EEEvlPKf, @function
_ZNK10torchpaged12_GLOBAL__N_111PanelFinish3rowINS0_8BFloat16EEEvlPKf:
.LFB7199:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r13
	.cfi_offset 13, -24
	movq	%rdx, %r13
	pushq	%r12
	.cfi_offset 12, -32
	movq	%rdi, %r12
	pushq	%rbx
	andq	$-64, %rsp
	subq	$64, %rsp
	.cfi_offset 3, -40
	movq	(%rdi), %rax
	movq	40(%rax), %rdx
	movq	120(%rax), %rcx
	testq	%rdx, %rdx
	je	.L1742
	movq	(%rdx,%rsi,8), %rsi
.L1742:
	movq	16(%r12), %rdx
	imulq	72(%rax), %rsi
	addq	8(%r12), %rsi
	leaq	(%rcx,%rsi,2), %rcx
	testq	%rdx, %rdx
	jle	.L1753
	movl	$4194304, %esi
	xorl	%ebx, %ebx
	vpternlogd	$0xFF, %zmm6, %zmm6, %zmm6
	vpbroadcastd	%esi, %zmm5
	movl	$1, %esi
	vpbroadcastd	%esi, %zmm4
	movl	$32767, %esi
	vpbroadcastd	%esi, %zmm3
	jmp	.L1748
	.p2align 4,,10
	.p2align 3
.L1755:
	vpmovdw	%zmm2, %ymm2
	addq	$16, %rbx
	addq	$32, %rcx
	vmovdqu	%ymm2, -32(%rcx)
	movq	16(%r12), %rdx
	cmpq	%rdx, %rbx
	jge	.L1752
.L1747:
	movq	(%r12), %rax
.L1748:
	cmpq	$0, 112(%rax)
	vmovups	0(%r13,%rbx,4), %zmm0
	je	.L1744
	vmulps	152(%r12,%rbx,4), %zmm0, %zmm0
.L1744:
	cmpq	$0, 96(%rax)
	je	.L1745
	vaddps	24(%r12,%rbx,4), %zmm0, %zmm0
.L1745:
	vcmpps	$0, %zmm0, %zmm0, %k1
	vpsrad	$16, %zmm0, %zmm1
	vpord	%zmm0, %zmm5, %zmm2
	vpandd	%zmm4, %zmm1, %zmm1
	leaq	15(%rbx), %rax
	vpaddd	%zmm0, %zmm1, %zmm1
	vmovdqa32	%zmm6, %zmm0{%k1}{z}
	vpaddd	%zmm3, %zmm1, %zmm1
	vpmovd2m	%zmm0, %k1
	vmovaps	%zmm1, %zmm2{%k1}
	vpsrad	$16, %zmm2, %zmm2
	cmpq	%rdx, %rax
	jl	.L1755
	subq	%rbx, %rdx
	vpmovdw	%zmm2, 32(%rsp)
	movq	%rcx, %rdi
	leaq	32(%rsp), %rsi
	addq	%rdx, %rdx
	vzeroupper
	call	memcpy@PLT
	movq	16(%r12), %rdx
	addq	$16, %rbx
	movq	%rax, %rcx
	vpternlogd	$0xFF, %zmm6, %zmm6, %zmm6
	vmovdqa32	.LC51(%rip), %zmm5
	vmovdqa32	.LC52(%rip), %zmm4
	vmovdqa32	.LC53(%rip), %zmm3
	addq	$32, %rcx
	cmpq	%rbx, %rdx
	jg	.L1747
.L1752:
	vzeroupper
.L1753:
	leaq	-24(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%rbp
	.cfi_def_cfa 7, 8
	ret
	.cfi_endproc
.LFE7199:
	.size	_ZNK10torchpaged12_GLOBAL__N_111PanelFinish3rowINS0_8BFloat16EEEvlPKf, .-_ZNK10torchpaged12_GLOBAL__N_111PanelFinish3rowINS0_8BFloat16EEEvlPKf
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_120multiply_panels_withINS0_7VnniDotEEEvRKNS_12LinearParamsERKNS_8RowBlockEPKcllPc, @function
_ZN10torchpaged12_GLOBAL__N_120multiply_panels_withINS0_7VnniDotEEEvRKNS_12LinearParamsERKNS_8RowBlockEPKcllPc:
.LFB7123:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsi, %r11
	movq	%rcx, %rsi
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	movq	%rdi, %r13
	pushq	%r12
	pushq	%rbx
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	movq	%r9, %rbx
	andq	$-64, %rsp
	subq	$512, %rsp
	cmpl	$5, 12(%rdi)
	movq	8(%r11), %rcx
	movq	%rdx, 120(%rsp)
	movq	%r8, 80(%rsp)
	movq	$0, 96(%rsp)
	jne	.L1757
	movq	80(%rdi), %rdx
	leaq	62(%rdx), %rax
	addq	$31, %rdx
	cmovns	%rdx, %rax
	sarq	$5, %rax
	imulq	%rcx, %rax
	leaq	63(,%rax,8), %rcx
	movq	%rcx, %rdx
	sarq	$63, %rdx
	shrq	$58, %rdx
	leaq	(%rcx,%rdx), %rax
	andl	$63, %eax
	subq	%rdx, %rax
	subq	%rax, %rcx
	movq	%rcx, 96(%rsp)
.L1757:
	movq	80(%rsp), %rdi
	leaq	224(%rsp), %rax
	vxorps	%xmm2, %xmm2, %xmm2
	movq	%rax, 128(%rsp)
	cmpq	%rdi, %rsi
	jge	.L2036
	movq	%r11, %r12
	movq	%rbx, %r11
	movq	%r13, %rbx
	movq	%rsi, %r13
.L1758:
	movq	80(%rbx), %r14
	testq	%r14, %r14
	jle	.L1760
	movq	$0, 136(%rsp)
	movl	16(%r12), %r15d
.L1931:
	movq	136(%rsp), %rsi
	movq	%r14, %rdi
	movl	$512, %eax
	subq	%rsi, %rdi
	cmpq	%rax, %rdi
	cmovg	%rax, %rdi
	movq	%r13, %rax
	imulq	%r14, %rax
	addq	%rsi, %rax
	salq	$7, %rax
	addq	48(%rbx), %rax
	movq	%rax, %rcx
	testl	%r15d, %r15d
	jle	.L1760
	movq	%rsi, %rax
	sarq	$5, %rsi
	movq	%r13, 64(%rsp)
	movq	%rcx, %r9
	testq	%rax, %rax
	leaq	4096(%rcx), %rax
	movq	%rsi, 88(%rsp)
	sete	152(%rsp)
	movzbl	152(%rsp), %r8d
	movq	$0, 144(%rsp)
	movq	%rax, 152(%rsp)
	jmp	.L1930
.L1761:
	movl	%r13d, %eax
	andl	$1, %eax
	cmpl	$1, %eax
	sbbq	%rax, %rax
	salq	$7, %rcx
	andq	$-64, %rax
	addq	%r11, %rcx
	addq	$192, %rax
	imulq	%rdi, %rax
	addq	%r9, %rax
	cmpq	$14, %rsi
	je	.L2068
	cmpq	$13, %rsi
	je	.L2069
	cmpq	$12, %rsi
	je	.L2070
	cmpq	$11, %rsi
	je	.L2071
	cmpq	$10, %rsi
	je	.L2072
	cmpq	$9, %rsi
	je	.L2073
	cmpq	$8, %rsi
	je	.L2074
	cmpq	$7, %rsi
	je	.L2075
	cmpq	$6, %rsi
	je	.L2076
	cmpq	$5, %rsi
	je	.L2077
	cmpq	$4, %rsi
	je	.L2078
	cmpq	$3, %rsi
	je	.L2079
	cmpq	$2, %rsi
	je	.L2080
	cmpq	$1, %rsi
	je	.L2081
.L1774:
	movl	144(%rsp), %eax
	cmpl	%eax, %r15d
	jle	.L2082
.L1930:
	movq	144(%rsp), %rax
	movq	8(%r12), %rsi
	movslq	%r15d, %r10
	addq	$1, 144(%rsp)
	movq	%rax, %rcx
	movl	%eax, %r13d
	imulq	%rsi, %rcx
	movq	%rcx, %rax
	cqto
	idivq	%r10
	movq	%rax, %rcx
	movq	144(%rsp), %rax
	imulq	%rax, %rsi
	movq	%rsi, %rax
	cqto
	idivq	%r10
	movq	136(%rsp), %rdx
	movq	%rax, %rsi
	movq	%rcx, %rax
	subq	%rcx, %rsi
	imulq	%r14, %rax
	imulq	%rsi, %rdx
	addq	%rdx, %rax
	movq	96(%rsp), %rdx
	leaq	(%rdx,%rax,4), %r10
	movq	120(%rsp), %rax
	movq	%r14, %rdx
	addq	%rax, %r10
	addq	$31, %rdx
	leaq	62(%r14), %rax
	cmovns	%rdx, %rax
	movq	88(%rsp), %rdx
	sarq	$5, %rax
	imulq	%rsi, %rdx
	imulq	%rcx, %rax
	addq	%rdx, %rax
	movq	120(%rsp), %rdx
	leaq	(%rdx,%rax,8), %rdx
	cmpl	$1, %r15d
	jne	.L1761
	cmpq	$14, %rsi
	je	.L2083
	cmpq	$13, %rsi
	je	.L2084
	cmpq	$12, %rsi
	je	.L2085
	cmpq	$11, %rsi
	je	.L2086
	cmpq	$10, %rsi
	je	.L2087
	cmpq	$9, %rsi
	je	.L2088
	cmpq	$8, %rsi
	je	.L2089
	cmpq	$7, %rsi
	je	.L2090
	cmpq	$6, %rsi
	je	.L2091
	cmpq	$5, %rsi
	je	.L2092
	cmpq	$4, %rsi
	je	.L2093
	cmpq	$3, %rsi
	je	.L2094
	cmpq	$2, %rsi
	je	.L2095
	cmpq	$1, %rsi
	jne	.L1774
	movq	%r10, %r15
	movq	152(%rsp), %rsi
	xorl	%ecx, %ecx
	vxorps	%xmm5, %xmm5, %xmm5
	kmovb	%r8d, %k0
.L1845:
	movq	%rdi, %rax
	movl	$32, %r10d
	movq	%r15, %r14
	vpbroadcastd	4(%rdx), %zmm0
	subq	%rcx, %rax
	leaq	-4032(%rsi), %r13
	cmpq	%r10, %rax
	vmovdqa64	%zmm0, %zmm1
	cmovg	%r10, %rax
	movq	%rsi, %r10
	salq	$7, %rax
	addq	%rsi, %rax
.L1841:
	prefetcht0	(%r10)
	prefetcht0	64(%r10)
	subq	$-128, %r10
	vpbroadcastd	(%r14), %zmm6
	vmovups	-64(%r13), %zmm4
	vmovups	0(%r13), %zmm3
	addq	$4, %r14
	subq	$-128, %r13
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm6, %zmm4, %zmm1
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm6, %zmm3, %zmm0
# 0 "" 2
#NO_APP
	cmpq	%rax, %r10
	jne	.L1841
	vmovss	(%rdx), %xmm3
	vcvtdq2ps	%zmm1, %zmm1
	kortestb	%k0, %k0
	vbroadcastss	%xmm3, %zmm3
	je	.L2096
	vfmadd132ps	%zmm3, %zmm5, %zmm1
	vcvtdq2ps	%zmm0, %zmm0
	vmovups	%zmm1, (%r11)
	vfmadd132ps	(%rdx){1to16}, %zmm5, %zmm0
.L2050:
	addq	$32, %rcx
	addq	$8, %rdx
	subq	$-128, %r15
	vmovups	%zmm0, 64(%r11)
	addq	$4096, %rsi
	cmpq	%rcx, %rdi
	jle	.L1766
	kxorb	%k0, %k0, %k0
	jmp	.L1845
.L2068:
	kmovb	%r8d, %k0
	movq	%r9, 112(%rsp)
	movq	%r9, %r13
	xorl	%r15d, %r15d
	movb	%r8b, 104(%rsp)
	movq	%rax, %r9
	movq	%r10, %r8
	movq	%r11, 72(%rsp)
	kmovb	%k0, %r11d
.L1852:
	movq	%rdi, %r14
	vpbroadcastd	108(%rdx), %zmm1
	movq	%r13, %rsi
	movq	%r9, %r10
	movl	$32, %eax
	subq	%r15, %r14
	vpbroadcastd	4(%rdx), %zmm15
	vpbroadcastd	12(%rdx), %zmm14
	cmpq	%rax, %r14
	vpbroadcastd	20(%rdx), %zmm13
	vpbroadcastd	28(%rdx), %zmm12
	vmovdqa64	%zmm1, %zmm16
	cmovg	%rax, %r14
	vpbroadcastd	36(%rdx), %zmm11
	vpbroadcastd	44(%rdx), %zmm10
	vmovdqa64	%zmm15, %zmm29
	vpbroadcastd	52(%rdx), %zmm9
	vpbroadcastd	60(%rdx), %zmm8
	vmovdqa64	%zmm14, %zmm28
	vmovdqa64	%zmm13, %zmm27
	vpbroadcastd	68(%rdx), %zmm7
	vpbroadcastd	76(%rdx), %zmm6
	salq	$7, %r14
	vmovdqa64	%zmm12, %zmm26
	vpbroadcastd	84(%rdx), %zmm5
	vpbroadcastd	92(%rdx), %zmm4
	addq	%r13, %r14
	vmovdqa64	%zmm11, %zmm25
	vpbroadcastd	100(%rdx), %zmm3
	vmovdqa64	%zmm10, %zmm24
	movq	%r8, %rax
	vmovdqa64	%zmm9, %zmm23
	vmovdqa64	%zmm8, %zmm22
	vmovdqa64	%zmm7, %zmm21
	vmovdqa64	%zmm6, %zmm20
	vmovdqa64	%zmm5, %zmm19
	vmovdqa64	%zmm4, %zmm18
	vmovdqa64	%zmm3, %zmm17
	vmovdqa64	%zmm1, %zmm31
	.p2align 4,,10
	.p2align 3
.L1848:
	vmovups	(%rsi), %zmm1
	subq	$-128, %rsi
	vpbroadcastd	(%rax), %zmm30
	prefetcht1	(%r10)
	vmovups	-64(%rsi), %zmm0
	addq	$64, %r10
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm1, %zmm29
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm0, %zmm15
# 0 "" 2
#NO_APP
	vpbroadcastd	4(%rax), %zmm30
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm1, %zmm28
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm0, %zmm14
# 0 "" 2
#NO_APP
	vpbroadcastd	8(%rax), %zmm30
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm1, %zmm27
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm0, %zmm13
# 0 "" 2
#NO_APP
	vpbroadcastd	12(%rax), %zmm30
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm1, %zmm26
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm0, %zmm12
# 0 "" 2
#NO_APP
	vpbroadcastd	16(%rax), %zmm30
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm1, %zmm25
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm0, %zmm11
# 0 "" 2
#NO_APP
	vpbroadcastd	20(%rax), %zmm30
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm1, %zmm24
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm0, %zmm10
# 0 "" 2
#NO_APP
	vpbroadcastd	24(%rax), %zmm30
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm1, %zmm23
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm0, %zmm9
# 0 "" 2
#NO_APP
	vpbroadcastd	28(%rax), %zmm30
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm1, %zmm22
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm0, %zmm8
# 0 "" 2
#NO_APP
	vpbroadcastd	32(%rax), %zmm30
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm1, %zmm21
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm0, %zmm7
# 0 "" 2
#NO_APP
	vpbroadcastd	36(%rax), %zmm30
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm1, %zmm20
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm0, %zmm6
# 0 "" 2
#NO_APP
	vpbroadcastd	40(%rax), %zmm30
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm1, %zmm19
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm0, %zmm5
# 0 "" 2
#NO_APP
	vpbroadcastd	44(%rax), %zmm30
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm1, %zmm18
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm0, %zmm4
# 0 "" 2
#NO_APP
	vpbroadcastd	48(%rax), %zmm30
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm1, %zmm17
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm0, %zmm3
# 0 "" 2
#NO_APP
	vpbroadcastd	52(%rax), %zmm30
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm1, %zmm16
# 0 "" 2
#NO_APP
	vmovdqa64	%zmm31, %zmm1
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm0, %zmm1
# 0 "" 2
#NO_APP
	addq	$56, %rax
	vmovdqa64	%zmm1, %zmm31
	cmpq	%r14, %rsi
	jne	.L1848
	vmovss	(%rdx), %xmm0
	vcvtdq2ps	%zmm29, %zmm29
	vbroadcastss	%xmm0, %zmm0
	testb	%r11b, %r11b
	jne	.L1849
	vfmadd213ps	(%rcx), %zmm0, %zmm29
	vmovups	64(%rcx), %zmm0
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm28, %zmm28
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm27, %zmm27
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm26, %zmm26
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm25, %zmm25
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm24, %zmm24
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm23, %zmm23
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm22, %zmm22
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm21, %zmm21
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm20, %zmm20
	vmovups	%zmm29, (%rcx)
	vcvtdq2ps	%zmm6, %zmm6
	vcvtdq2ps	%zmm19, %zmm19
	vcvtdq2ps	%zmm5, %zmm5
	vfmadd132ps	(%rdx){1to16}, %zmm0, %zmm15
	vcvtdq2ps	%zmm18, %zmm18
	vmovups	128(%rcx), %zmm0
	vcvtdq2ps	%zmm4, %zmm4
	vcvtdq2ps	%zmm17, %zmm17
	vcvtdq2ps	%zmm3, %zmm3
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm1, %zmm1
	vmovups	%zmm15, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm0, %zmm28
	vmovups	192(%rcx), %zmm0
	vmovups	%zmm28, 128(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm0, %zmm14
	vmovups	256(%rcx), %zmm0
	vmovups	%zmm14, 192(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm0, %zmm27
	vmovups	320(%rcx), %zmm0
	vmovups	%zmm27, 256(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm0, %zmm13
	vmovups	384(%rcx), %zmm0
	vmovups	%zmm13, 320(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm0, %zmm26
	vmovups	448(%rcx), %zmm0
	vmovups	%zmm26, 384(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm0, %zmm12
	vmovups	512(%rcx), %zmm0
	vmovups	%zmm12, 448(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm0, %zmm25
	vmovups	576(%rcx), %zmm0
	vmovups	%zmm25, 512(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm0, %zmm11
	vmovups	640(%rcx), %zmm0
	vmovups	%zmm11, 576(%rcx)
	vfmadd132ps	40(%rdx){1to16}, %zmm0, %zmm24
	vmovups	%zmm24, 640(%rcx)
	vmovups	704(%rcx), %zmm0
	vfmadd132ps	40(%rdx){1to16}, %zmm0, %zmm10
	vmovups	768(%rcx), %zmm0
	vmovups	%zmm10, 704(%rcx)
	vfmadd132ps	48(%rdx){1to16}, %zmm0, %zmm23
	vmovups	832(%rcx), %zmm0
	vmovups	%zmm23, 768(%rcx)
	vfmadd132ps	48(%rdx){1to16}, %zmm0, %zmm9
	vmovups	896(%rcx), %zmm0
	vmovups	%zmm9, 832(%rcx)
	vfmadd132ps	56(%rdx){1to16}, %zmm0, %zmm22
	vmovups	960(%rcx), %zmm0
	vmovups	%zmm22, 896(%rcx)
	vfmadd132ps	56(%rdx){1to16}, %zmm0, %zmm8
	vmovups	1024(%rcx), %zmm0
	vmovups	%zmm8, 960(%rcx)
	vfmadd132ps	64(%rdx){1to16}, %zmm0, %zmm21
	vmovups	1088(%rcx), %zmm0
	vmovups	%zmm21, 1024(%rcx)
	vfmadd132ps	64(%rdx){1to16}, %zmm0, %zmm7
	vmovups	%zmm7, 1088(%rcx)
	vmovups	1152(%rcx), %zmm7
	vfmadd132ps	72(%rdx){1to16}, %zmm7, %zmm20
	vmovups	1216(%rcx), %zmm7
	vmovups	%zmm20, 1152(%rcx)
	vfmadd132ps	72(%rdx){1to16}, %zmm7, %zmm6
	vmovups	%zmm6, 1216(%rcx)
	vmovups	1280(%rcx), %zmm6
	vfmadd132ps	80(%rdx){1to16}, %zmm6, %zmm19
	vmovups	1344(%rcx), %zmm6
	vmovups	%zmm19, 1280(%rcx)
	vfmadd132ps	80(%rdx){1to16}, %zmm6, %zmm5
	vmovups	%zmm5, 1344(%rcx)
	vmovups	1408(%rcx), %zmm6
	vfmadd132ps	88(%rdx){1to16}, %zmm6, %zmm18
	vmovups	1472(%rcx), %zmm6
	vmovups	%zmm18, 1408(%rcx)
	vfmadd132ps	88(%rdx){1to16}, %zmm6, %zmm4
	vmovups	%zmm4, 1472(%rcx)
	vmovups	1536(%rcx), %zmm4
	vfmadd132ps	96(%rdx){1to16}, %zmm4, %zmm17
	vmovups	1600(%rcx), %zmm4
	vmovups	%zmm17, 1536(%rcx)
	vfmadd132ps	96(%rdx){1to16}, %zmm4, %zmm3
	vmovups	%zmm3, 1600(%rcx)
	vmovups	1664(%rcx), %zmm3
	vfmadd132ps	104(%rdx){1to16}, %zmm3, %zmm16
	vmovups	1728(%rcx), %zmm3
	vmovups	%zmm16, 1664(%rcx)
	vfmadd132ps	104(%rdx){1to16}, %zmm3, %zmm1
.L2053:
	addq	$32, %r15
	addq	$112, %rdx
	vmovups	%zmm1, 1728(%rcx)
	addq	$4096, %r13
	addq	$2048, %r9
	addq	$1792, %r8
	cmpq	%r15, %rdi
	jle	.L2067
	xorl	%r11d, %r11d
	jmp	.L1852
.L1849:
	vfmadd132ps	%zmm0, %zmm2, %zmm29
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm28, %zmm28
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm27, %zmm27
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm26, %zmm26
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm25, %zmm25
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm24, %zmm24
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm23, %zmm23
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm22, %zmm22
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm21, %zmm21
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm20, %zmm20
	vcvtdq2ps	%zmm6, %zmm6
	vmovups	%zmm29, (%rcx)
	vcvtdq2ps	%zmm19, %zmm19
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm18, %zmm18
	vfmadd132ps	(%rdx){1to16}, %zmm2, %zmm15
	vcvtdq2ps	%zmm4, %zmm4
	vcvtdq2ps	%zmm17, %zmm17
	vcvtdq2ps	%zmm3, %zmm3
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm1, %zmm1
	vmovups	%zmm15, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm28
	vmovups	%zmm28, 128(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm14
	vmovups	%zmm14, 192(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm27
	vmovups	%zmm27, 256(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm13
	vmovups	%zmm13, 320(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm26
	vmovups	%zmm26, 384(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm12
	vmovups	%zmm12, 448(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm25
	vmovups	%zmm25, 512(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm11
	vmovups	%zmm11, 576(%rcx)
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm24
	vmovups	%zmm24, 640(%rcx)
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm10
	vmovups	%zmm10, 704(%rcx)
	vfmadd132ps	48(%rdx){1to16}, %zmm2, %zmm23
	vmovups	%zmm23, 768(%rcx)
	vfmadd132ps	48(%rdx){1to16}, %zmm2, %zmm9
	vmovups	%zmm9, 832(%rcx)
	vfmadd132ps	56(%rdx){1to16}, %zmm2, %zmm22
	vmovups	%zmm22, 896(%rcx)
	vfmadd132ps	56(%rdx){1to16}, %zmm2, %zmm8
	vmovups	%zmm8, 960(%rcx)
	vfmadd132ps	64(%rdx){1to16}, %zmm2, %zmm21
	vmovups	%zmm21, 1024(%rcx)
	vfmadd132ps	64(%rdx){1to16}, %zmm2, %zmm7
	vmovups	%zmm7, 1088(%rcx)
	vfmadd132ps	72(%rdx){1to16}, %zmm2, %zmm20
	vmovups	%zmm20, 1152(%rcx)
	vfmadd132ps	72(%rdx){1to16}, %zmm2, %zmm6
	vmovups	%zmm6, 1216(%rcx)
	vfmadd132ps	80(%rdx){1to16}, %zmm2, %zmm19
	vmovups	%zmm19, 1280(%rcx)
	vfmadd132ps	80(%rdx){1to16}, %zmm2, %zmm5
	vmovups	%zmm5, 1344(%rcx)
	vfmadd132ps	88(%rdx){1to16}, %zmm2, %zmm18
	vmovups	%zmm18, 1408(%rcx)
	vfmadd132ps	88(%rdx){1to16}, %zmm2, %zmm4
	vmovups	%zmm4, 1472(%rcx)
	vfmadd132ps	96(%rdx){1to16}, %zmm2, %zmm17
	vmovups	%zmm17, 1536(%rcx)
	vfmadd132ps	96(%rdx){1to16}, %zmm2, %zmm3
	vmovups	%zmm3, 1600(%rcx)
	vfmadd132ps	104(%rdx){1to16}, %zmm2, %zmm16
	vmovups	%zmm16, 1664(%rcx)
	vfmadd132ps	104(%rdx){1to16}, %zmm2, %zmm1
	jmp	.L2053
.L2022:
	movq	%r9, %rdi
.L2067:
	movq	112(%rsp), %r9
	movzbl	104(%rsp), %r8d
	movq	72(%rsp), %r11
.L1766:
	movl	16(%r12), %r15d
	movl	144(%rsp), %eax
	movq	80(%rbx), %r14
	cmpl	%eax, %r15d
	jg	.L1930
.L2082:
	addq	$512, 136(%rsp)
	movq	136(%rsp), %rax
	movq	64(%rsp), %r13
	cmpq	%r14, %rax
	jl	.L1931
.L1760:
	movq	%r11, 152(%rsp)
	movq	128(%rsp), %rdi
	movq	%r13, %rdx
	movq	%rbx, %rsi
	vzeroupper
	call	_ZN10torchpaged12_GLOBAL__N_111PanelFinishC1ERKNS_12LinearParamsEl
	movl	8(%rbx), %eax
	movq	152(%rsp), %r11
	vxorps	%xmm2, %xmm2, %xmm2
	cmpl	$1, %eax
	je	.L1932
	cmpl	$2, %eax
	jne	.L1933
	xorl	%r14d, %r14d
	cmpq	$0, 8(%r12)
	movq	%r11, %r15
	jle	.L1936
.L1947:
	movq	(%r12), %rsi
	movq	128(%rsp), %rdi
	movq	%r15, %rdx
	movq	%r11, 152(%rsp)
	subq	$-128, %r15
	addq	%r14, %rsi
	addq	$1, %r14
	call	_ZNK10torchpaged12_GLOBAL__N_111PanelFinish3rowINS0_8BFloat16EEEvlPKf
	cmpq	8(%r12), %r14
	movq	152(%rsp), %r11
	vxorps	%xmm2, %xmm2, %xmm2
	jl	.L1947
.L1936:
	addq	$1, %r13
	cmpq	%r13, 80(%rsp)
	jne	.L1758
.L2099:
	vzeroupper
.L2036:
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L2069:
	.cfi_restore_state
	kmovb	%r8d, %k0
	movq	%r9, 112(%rsp)
	movq	%r9, %r13
	xorl	%r15d, %r15d
	movb	%r8b, 104(%rsp)
	movq	%rdi, %r9
	movq	%r10, %r8
	movq	%rax, %rdi
	movq	%r11, 72(%rsp)
	kmovb	%k0, %r11d
.L1858:
	movq	%r9, %r14
	vpbroadcastd	100(%rdx), %zmm1
	movq	%r13, %rsi
	movq	%rdi, %r10
	movl	$32, %eax
	subq	%r15, %r14
	vpbroadcastd	4(%rdx), %zmm16
	vpbroadcastd	12(%rdx), %zmm15
	cmpq	%rax, %r14
	vpbroadcastd	20(%rdx), %zmm14
	vpbroadcastd	28(%rdx), %zmm13
	vmovdqa64	%zmm1, %zmm4
	cmovg	%rax, %r14
	vpbroadcastd	36(%rdx), %zmm12
	vpbroadcastd	44(%rdx), %zmm11
	vmovdqa64	%zmm16, %zmm28
	vpbroadcastd	52(%rdx), %zmm10
	vpbroadcastd	60(%rdx), %zmm9
	vmovdqa64	%zmm15, %zmm27
	vmovdqa64	%zmm14, %zmm26
	vpbroadcastd	68(%rdx), %zmm8
	salq	$7, %r14
	movq	%r8, %rax
	vpbroadcastd	76(%rdx), %zmm7
	vpbroadcastd	84(%rdx), %zmm6
	vpbroadcastd	92(%rdx), %zmm5
	addq	%r13, %r14
	vmovdqa64	%zmm13, %zmm25
	vmovdqa64	%zmm12, %zmm24
	vmovdqa64	%zmm11, %zmm23
	vmovdqa64	%zmm10, %zmm22
	vmovdqa64	%zmm9, %zmm21
	vmovdqa64	%zmm8, %zmm20
	vmovdqa64	%zmm7, %zmm19
	vmovdqa64	%zmm6, %zmm18
	vmovdqa64	%zmm5, %zmm17
	vmovdqa64	%zmm1, %zmm3
	.p2align 4,,10
	.p2align 3
.L1854:
	vmovups	(%rsi), %zmm1
	subq	$-128, %rsi
	vpbroadcastd	(%rax), %zmm29
	prefetcht1	(%r10)
	vmovups	-64(%rsi), %zmm0
	addq	$64, %r10
	addq	$52, %rax
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm1, %zmm28
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm0, %zmm16
# 0 "" 2
#NO_APP
	vpbroadcastd	-48(%rax), %zmm29
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm1, %zmm27
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm0, %zmm15
# 0 "" 2
#NO_APP
	vpbroadcastd	-44(%rax), %zmm29
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm1, %zmm26
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm0, %zmm14
# 0 "" 2
#NO_APP
	vpbroadcastd	-40(%rax), %zmm29
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm1, %zmm25
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm0, %zmm13
# 0 "" 2
#NO_APP
	vpbroadcastd	-36(%rax), %zmm29
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm1, %zmm24
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm0, %zmm12
# 0 "" 2
#NO_APP
	vpbroadcastd	-32(%rax), %zmm29
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm1, %zmm23
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm0, %zmm11
# 0 "" 2
#NO_APP
	vpbroadcastd	-28(%rax), %zmm29
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm1, %zmm22
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm0, %zmm10
# 0 "" 2
#NO_APP
	vpbroadcastd	-24(%rax), %zmm29
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm1, %zmm21
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm0, %zmm9
# 0 "" 2
#NO_APP
	vpbroadcastd	-20(%rax), %zmm29
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm1, %zmm20
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm0, %zmm8
# 0 "" 2
#NO_APP
	vpbroadcastd	-16(%rax), %zmm29
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm1, %zmm19
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm0, %zmm7
# 0 "" 2
#NO_APP
	vpbroadcastd	-12(%rax), %zmm29
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm1, %zmm18
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm0, %zmm6
# 0 "" 2
#NO_APP
	vpbroadcastd	-8(%rax), %zmm29
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm1, %zmm17
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm0, %zmm5
# 0 "" 2
#NO_APP
	vpbroadcastd	-4(%rax), %zmm29
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm1, %zmm4
# 0 "" 2
#NO_APP
	vmovdqa64	%zmm3, %zmm1
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm0, %zmm1
# 0 "" 2
#NO_APP
	vmovdqa64	%zmm1, %zmm3
	cmpq	%r14, %rsi
	jne	.L1854
	vmovss	(%rdx), %xmm0
	vcvtdq2ps	%zmm28, %zmm28
	vbroadcastss	%xmm0, %zmm0
	testb	%r11b, %r11b
	jne	.L1855
	vfmadd213ps	(%rcx), %zmm0, %zmm28
	vmovups	64(%rcx), %zmm0
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm27, %zmm27
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm26, %zmm26
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm25, %zmm25
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm24, %zmm24
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm23, %zmm23
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm22, %zmm22
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm21, %zmm21
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm20, %zmm20
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm19, %zmm19
	vmovups	%zmm28, (%rcx)
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm6, %zmm6
	vfmadd132ps	(%rdx){1to16}, %zmm0, %zmm16
	vcvtdq2ps	%zmm17, %zmm17
	vmovups	128(%rcx), %zmm0
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm4, %zmm4
	vcvtdq2ps	%zmm1, %zmm1
	vmovups	%zmm16, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm0, %zmm27
	vmovups	192(%rcx), %zmm0
	vmovups	%zmm27, 128(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm0, %zmm15
	vmovups	256(%rcx), %zmm0
	vmovups	%zmm15, 192(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm0, %zmm26
	vmovups	320(%rcx), %zmm0
	vmovups	%zmm26, 256(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm0, %zmm14
	vmovups	384(%rcx), %zmm0
	vmovups	%zmm14, 320(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm0, %zmm25
	vmovups	448(%rcx), %zmm0
	vmovups	%zmm25, 384(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm0, %zmm13
	vmovups	512(%rcx), %zmm0
	vmovups	%zmm13, 448(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm0, %zmm24
	vmovups	576(%rcx), %zmm0
	vmovups	%zmm24, 512(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm0, %zmm12
	vmovups	640(%rcx), %zmm0
	vmovups	%zmm12, 576(%rcx)
	vfmadd132ps	40(%rdx){1to16}, %zmm0, %zmm23
	vmovups	%zmm23, 640(%rcx)
	vmovups	704(%rcx), %zmm0
	vfmadd132ps	40(%rdx){1to16}, %zmm0, %zmm11
	vmovups	768(%rcx), %zmm0
	vmovups	%zmm11, 704(%rcx)
	vfmadd132ps	48(%rdx){1to16}, %zmm0, %zmm22
	vmovups	832(%rcx), %zmm0
	vmovups	%zmm22, 768(%rcx)
	vfmadd132ps	48(%rdx){1to16}, %zmm0, %zmm10
	vmovups	896(%rcx), %zmm0
	vmovups	%zmm10, 832(%rcx)
	vfmadd132ps	56(%rdx){1to16}, %zmm0, %zmm21
	vmovups	960(%rcx), %zmm0
	vmovups	%zmm21, 896(%rcx)
	vfmadd132ps	56(%rdx){1to16}, %zmm0, %zmm9
	vmovups	1024(%rcx), %zmm0
	vmovups	%zmm9, 960(%rcx)
	vfmadd132ps	64(%rdx){1to16}, %zmm0, %zmm20
	vmovups	1088(%rcx), %zmm0
	vmovups	%zmm20, 1024(%rcx)
	vfmadd132ps	64(%rdx){1to16}, %zmm0, %zmm8
	vmovups	1152(%rcx), %zmm0
	vmovups	%zmm8, 1088(%rcx)
	vfmadd132ps	72(%rdx){1to16}, %zmm0, %zmm19
	vmovups	1216(%rcx), %zmm0
	vmovups	%zmm19, 1152(%rcx)
	vfmadd132ps	72(%rdx){1to16}, %zmm0, %zmm7
	vmovups	%zmm7, 1216(%rcx)
	vmovups	1280(%rcx), %zmm7
	vfmadd132ps	80(%rdx){1to16}, %zmm7, %zmm18
	vmovups	1344(%rcx), %zmm7
	vmovups	%zmm18, 1280(%rcx)
	vfmadd132ps	80(%rdx){1to16}, %zmm7, %zmm6
	vmovups	%zmm6, 1344(%rcx)
	vmovups	1408(%rcx), %zmm6
	vmovups	1600(%rcx), %zmm3
	vfmadd132ps	88(%rdx){1to16}, %zmm6, %zmm17
	vmovups	1472(%rcx), %zmm6
	vmovups	%zmm17, 1408(%rcx)
	vfmadd132ps	88(%rdx){1to16}, %zmm6, %zmm5
	vmovups	%zmm5, 1472(%rcx)
	vmovups	1536(%rcx), %zmm5
	vfmadd132ps	96(%rdx){1to16}, %zmm5, %zmm4
	vmovups	%zmm4, 1536(%rcx)
	vfmadd132ps	96(%rdx){1to16}, %zmm3, %zmm1
.L2054:
	addq	$32, %r15
	addq	$104, %rdx
	vmovups	%zmm1, 1600(%rcx)
	addq	$4096, %r13
	addq	$2048, %rdi
	addq	$1664, %r8
	cmpq	%r15, %r9
	jle	.L2022
	xorl	%r11d, %r11d
	jmp	.L1858
.L1855:
	vfmadd132ps	%zmm0, %zmm2, %zmm28
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm27, %zmm27
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm26, %zmm26
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm25, %zmm25
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm24, %zmm24
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm23, %zmm23
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm22, %zmm22
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm21, %zmm21
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm20, %zmm20
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm19, %zmm19
	vcvtdq2ps	%zmm7, %zmm7
	vmovups	%zmm28, (%rcx)
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm6, %zmm6
	vcvtdq2ps	%zmm17, %zmm17
	vfmadd132ps	(%rdx){1to16}, %zmm2, %zmm16
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm4, %zmm4
	vcvtdq2ps	%zmm1, %zmm1
	vmovups	%zmm16, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm27
	vmovups	%zmm27, 128(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm15
	vmovups	%zmm15, 192(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm26
	vmovups	%zmm26, 256(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm14
	vmovups	%zmm14, 320(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm25
	vmovups	%zmm25, 384(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm13
	vmovups	%zmm13, 448(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm24
	vmovups	%zmm24, 512(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm12
	vmovups	%zmm12, 576(%rcx)
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm23
	vmovups	%zmm23, 640(%rcx)
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm11
	vmovups	%zmm11, 704(%rcx)
	vfmadd132ps	48(%rdx){1to16}, %zmm2, %zmm22
	vmovups	%zmm22, 768(%rcx)
	vfmadd132ps	48(%rdx){1to16}, %zmm2, %zmm10
	vmovups	%zmm10, 832(%rcx)
	vfmadd132ps	56(%rdx){1to16}, %zmm2, %zmm21
	vmovups	%zmm21, 896(%rcx)
	vfmadd132ps	56(%rdx){1to16}, %zmm2, %zmm9
	vmovups	%zmm9, 960(%rcx)
	vfmadd132ps	64(%rdx){1to16}, %zmm2, %zmm20
	vmovups	%zmm20, 1024(%rcx)
	vfmadd132ps	64(%rdx){1to16}, %zmm2, %zmm8
	vmovups	%zmm8, 1088(%rcx)
	vfmadd132ps	72(%rdx){1to16}, %zmm2, %zmm19
	vmovups	%zmm19, 1152(%rcx)
	vfmadd132ps	72(%rdx){1to16}, %zmm2, %zmm7
	vmovups	%zmm7, 1216(%rcx)
	vfmadd132ps	80(%rdx){1to16}, %zmm2, %zmm18
	vmovups	%zmm18, 1280(%rcx)
	vfmadd132ps	80(%rdx){1to16}, %zmm2, %zmm6
	vmovups	%zmm6, 1344(%rcx)
	vfmadd132ps	88(%rdx){1to16}, %zmm2, %zmm17
	vmovups	%zmm17, 1408(%rcx)
	vfmadd132ps	88(%rdx){1to16}, %zmm2, %zmm5
	vmovups	%zmm5, 1472(%rcx)
	vfmadd132ps	96(%rdx){1to16}, %zmm2, %zmm4
	vmovups	%zmm4, 1536(%rcx)
	vfmadd132ps	96(%rdx){1to16}, %zmm2, %zmm1
	jmp	.L2054
.L2071:
	movq	%r10, 104(%rsp)
	movq	%r9, %r15
	kmovb	%r8d, %k0
	xorl	%r14d, %r14d
	movq	%rax, 112(%rsp)
	movq	%r11, %rax
	movq	%r9, %r11
	movq	%rdi, %r9
	movl	%r8d, %edi
	movq	%rax, %r8
.L1870:
	movq	%r9, %rax
	movl	$32, %esi
	vpbroadcastd	84(%rdx), %zmm1
	vpbroadcastd	4(%rdx), %zmm16
	subq	%r14, %rax
	vpbroadcastd	12(%rdx), %zmm15
	vpbroadcastd	20(%rdx), %zmm14
	cmpq	%rsi, %rax
	vpbroadcastd	28(%rdx), %zmm13
	vpbroadcastd	36(%rdx), %zmm12
	vmovdqa64	%zmm16, %zmm24
	cmovg	%rsi, %rax
	vpbroadcastd	44(%rdx), %zmm11
	vpbroadcastd	52(%rdx), %zmm10
	vmovdqa64	%zmm15, %zmm23
	vpbroadcastd	60(%rdx), %zmm9
	vpbroadcastd	68(%rdx), %zmm7
	movq	%r15, %rsi
	vmovdqa64	%zmm14, %zmm22
	salq	$7, %rax
	vpbroadcastd	76(%rdx), %zmm5
	movq	112(%rsp), %r10
	vmovdqa64	%zmm13, %zmm21
	leaq	(%rax,%r15), %r13
	movq	104(%rsp), %rax
	vmovdqa64	%zmm12, %zmm20
	vmovdqa64	%zmm11, %zmm19
	vmovdqa64	%zmm10, %zmm18
	vmovdqa64	%zmm9, %zmm17
	vmovdqa64	%zmm7, %zmm8
	vmovdqa64	%zmm5, %zmm6
	vmovdqa64	%zmm1, %zmm4
	vmovdqa64	%zmm1, %zmm3
	.p2align 4,,10
	.p2align 3
.L1866:
	vmovups	(%rsi), %zmm1
	subq	$-128, %rsi
	vpbroadcastd	(%rax), %zmm25
	prefetcht1	(%r10)
	vmovups	-64(%rsi), %zmm0
	addq	$64, %r10
	addq	$44, %rax
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm1, %zmm24
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm0, %zmm16
# 0 "" 2
#NO_APP
	vpbroadcastd	-40(%rax), %zmm25
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm1, %zmm23
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm0, %zmm15
# 0 "" 2
#NO_APP
	vpbroadcastd	-36(%rax), %zmm25
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm1, %zmm22
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm0, %zmm14
# 0 "" 2
#NO_APP
	vpbroadcastd	-32(%rax), %zmm25
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm1, %zmm21
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm0, %zmm13
# 0 "" 2
#NO_APP
	vpbroadcastd	-28(%rax), %zmm25
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm1, %zmm20
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm0, %zmm12
# 0 "" 2
#NO_APP
	vpbroadcastd	-24(%rax), %zmm25
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm1, %zmm19
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm0, %zmm11
# 0 "" 2
#NO_APP
	vpbroadcastd	-20(%rax), %zmm25
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm1, %zmm18
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm0, %zmm10
# 0 "" 2
#NO_APP
	vpbroadcastd	-16(%rax), %zmm25
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm1, %zmm17
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm0, %zmm9
# 0 "" 2
#NO_APP
	vpbroadcastd	-12(%rax), %zmm25
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm1, %zmm8
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm0, %zmm7
# 0 "" 2
#NO_APP
	vpbroadcastd	-8(%rax), %zmm25
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm1, %zmm6
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm0, %zmm5
# 0 "" 2
#NO_APP
	vpbroadcastd	-4(%rax), %zmm25
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm1, %zmm4
# 0 "" 2
#NO_APP
	vmovdqa64	%zmm3, %zmm1
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm0, %zmm1
# 0 "" 2
#NO_APP
	vmovdqa64	%zmm1, %zmm3
	cmpq	%r13, %rsi
	jne	.L1866
	vmovss	(%rdx), %xmm0
	vcvtdq2ps	%zmm24, %zmm24
	kortestb	%k0, %k0
	vbroadcastss	%xmm0, %zmm0
	jne	.L1867
	vfmadd213ps	(%rcx), %zmm0, %zmm24
	vmovups	64(%rcx), %zmm1
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm23, %zmm23
	vmovups	128(%rcx), %zmm0
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm22, %zmm22
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm21, %zmm21
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm20, %zmm20
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm19, %zmm19
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm17, %zmm17
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm7, %zmm7
	vmovups	%zmm24, (%rcx)
	vcvtdq2ps	%zmm6, %zmm6
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm4, %zmm4
	vfmadd132ps	(%rdx){1to16}, %zmm1, %zmm16
	vmovups	192(%rcx), %zmm1
	vmovups	%zmm16, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm0, %zmm23
	vmovups	256(%rcx), %zmm0
	vmovups	%zmm23, 128(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm1, %zmm15
	vmovups	320(%rcx), %zmm1
	vmovups	%zmm15, 192(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm0, %zmm22
	vmovups	384(%rcx), %zmm0
	vmovups	%zmm22, 256(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm1, %zmm14
	vmovups	448(%rcx), %zmm1
	vmovups	%zmm14, 320(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm0, %zmm21
	vmovups	512(%rcx), %zmm0
	vmovups	%zmm21, 384(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm1, %zmm13
	vmovups	576(%rcx), %zmm1
	vmovups	%zmm13, 448(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm0, %zmm20
	vmovups	640(%rcx), %zmm0
	vmovups	%zmm20, 512(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm1, %zmm12
	vmovups	%zmm12, 576(%rcx)
	vfmadd132ps	40(%rdx){1to16}, %zmm0, %zmm19
	vmovups	%zmm19, 640(%rcx)
	vmovups	704(%rcx), %zmm1
	vmovups	768(%rcx), %zmm0
	vfmadd132ps	40(%rdx){1to16}, %zmm1, %zmm11
	vmovups	832(%rcx), %zmm1
	vmovups	%zmm11, 704(%rcx)
	vfmadd132ps	48(%rdx){1to16}, %zmm0, %zmm18
	vmovups	896(%rcx), %zmm0
	vmovups	%zmm18, 768(%rcx)
	vfmadd132ps	48(%rdx){1to16}, %zmm1, %zmm10
	vmovups	960(%rcx), %zmm1
	vmovups	%zmm10, 832(%rcx)
	vfmadd132ps	56(%rdx){1to16}, %zmm0, %zmm17
	vmovups	1024(%rcx), %zmm0
	vmovups	%zmm17, 896(%rcx)
	vfmadd132ps	56(%rdx){1to16}, %zmm1, %zmm9
	vmovups	1088(%rcx), %zmm1
	vmovups	%zmm9, 960(%rcx)
	vfmadd132ps	64(%rdx){1to16}, %zmm0, %zmm8
	vmovups	%zmm8, 1024(%rcx)
	vfmadd132ps	64(%rdx){1to16}, %zmm1, %zmm7
	vcvtdq2ps	%zmm3, %zmm1
	vmovups	1344(%rcx), %zmm3
	vmovups	%zmm7, 1088(%rcx)
	vmovups	1152(%rcx), %zmm7
	vfmadd132ps	72(%rdx){1to16}, %zmm7, %zmm6
	vmovups	%zmm6, 1152(%rcx)
	vmovups	1216(%rcx), %zmm6
	vfmadd132ps	72(%rdx){1to16}, %zmm6, %zmm5
	vmovups	%zmm5, 1216(%rcx)
	vmovups	1280(%rcx), %zmm5
	vfmadd132ps	80(%rdx){1to16}, %zmm5, %zmm4
	vmovups	%zmm4, 1280(%rcx)
	vfmadd132ps	80(%rdx){1to16}, %zmm3, %zmm1
.L2056:
	addq	$32, %r14
	addq	$88, %rdx
	addq	$2048, 112(%rsp)
	addq	$4096, %r15
	addq	$1408, 104(%rsp)
	vmovups	%zmm1, 1344(%rcx)
	cmpq	%r14, %r9
	jle	.L2027
	kxorb	%k0, %k0, %k0
	jmp	.L1870
.L1867:
	vfmadd132ps	%zmm0, %zmm2, %zmm24
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm23, %zmm23
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm22, %zmm22
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm21, %zmm21
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm20, %zmm20
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm19, %zmm19
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm17, %zmm17
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm6, %zmm6
	vcvtdq2ps	%zmm5, %zmm5
	vmovups	%zmm24, (%rcx)
	vcvtdq2ps	%zmm4, %zmm4
	vcvtdq2ps	%zmm1, %zmm1
	vfmadd132ps	(%rdx){1to16}, %zmm2, %zmm16
	vmovups	%zmm16, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm23
	vmovups	%zmm23, 128(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm15
	vmovups	%zmm15, 192(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm22
	vmovups	%zmm22, 256(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm14
	vmovups	%zmm14, 320(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm21
	vmovups	%zmm21, 384(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm13
	vmovups	%zmm13, 448(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm20
	vmovups	%zmm20, 512(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm12
	vmovups	%zmm12, 576(%rcx)
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm19
	vmovups	%zmm19, 640(%rcx)
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm11
	vmovups	%zmm11, 704(%rcx)
	vfmadd132ps	48(%rdx){1to16}, %zmm2, %zmm18
	vmovups	%zmm18, 768(%rcx)
	vfmadd132ps	48(%rdx){1to16}, %zmm2, %zmm10
	vmovups	%zmm10, 832(%rcx)
	vfmadd132ps	56(%rdx){1to16}, %zmm2, %zmm17
	vmovups	%zmm17, 896(%rcx)
	vfmadd132ps	56(%rdx){1to16}, %zmm2, %zmm9
	vmovups	%zmm9, 960(%rcx)
	vfmadd132ps	64(%rdx){1to16}, %zmm2, %zmm8
	vmovups	%zmm8, 1024(%rcx)
	vfmadd132ps	64(%rdx){1to16}, %zmm2, %zmm7
	vmovups	%zmm7, 1088(%rcx)
	vfmadd132ps	72(%rdx){1to16}, %zmm2, %zmm6
	vmovups	%zmm6, 1152(%rcx)
	vfmadd132ps	72(%rdx){1to16}, %zmm2, %zmm5
	vmovups	%zmm5, 1216(%rcx)
	vfmadd132ps	80(%rdx){1to16}, %zmm2, %zmm4
	vmovups	%zmm4, 1280(%rcx)
	vfmadd132ps	80(%rdx){1to16}, %zmm2, %zmm1
	jmp	.L2056
.L2027:
	movq	%r8, %rax
	movl	%edi, %r8d
	movq	%r9, %rdi
	movq	%r11, %r9
	movq	%rax, %r11
	jmp	.L1766
.L2070:
	movq	%r10, 104(%rsp)
	movq	%r9, %r15
	kmovb	%r8d, %k0
	xorl	%r14d, %r14d
	movq	%rax, 112(%rsp)
	movq	%r11, %rax
	movq	%r9, %r11
	movq	%rdi, %r9
	movl	%r8d, %edi
	movq	%rax, %r8
.L1864:
	movq	%r9, %rax
	movl	$32, %esi
	vpbroadcastd	92(%rdx), %zmm1
	vpbroadcastd	4(%rdx), %zmm16
	subq	%r14, %rax
	vpbroadcastd	12(%rdx), %zmm15
	vpbroadcastd	20(%rdx), %zmm14
	cmpq	%rsi, %rax
	vpbroadcastd	28(%rdx), %zmm13
	vpbroadcastd	36(%rdx), %zmm12
	vmovdqa64	%zmm16, %zmm26
	cmovg	%rsi, %rax
	vpbroadcastd	44(%rdx), %zmm11
	vpbroadcastd	52(%rdx), %zmm10
	vmovdqa64	%zmm15, %zmm25
	vpbroadcastd	60(%rdx), %zmm9
	movq	112(%rsp), %r10
	movq	%r15, %rsi
	vmovdqa64	%zmm14, %zmm24
	salq	$7, %rax
	vpbroadcastd	68(%rdx), %zmm8
	vpbroadcastd	76(%rdx), %zmm7
	vmovdqa64	%zmm13, %zmm23
	leaq	(%rax,%r15), %r13
	vpbroadcastd	84(%rdx), %zmm5
	movq	104(%rsp), %rax
	vmovdqa64	%zmm12, %zmm22
	vmovdqa64	%zmm11, %zmm21
	vmovdqa64	%zmm10, %zmm20
	vmovdqa64	%zmm9, %zmm19
	vmovdqa64	%zmm8, %zmm18
	vmovdqa64	%zmm7, %zmm17
	vmovdqa64	%zmm5, %zmm6
	vmovdqa64	%zmm1, %zmm4
	vmovdqa64	%zmm1, %zmm3
	.p2align 4,,10
	.p2align 3
.L1860:
	vmovups	(%rsi), %zmm1
	subq	$-128, %rsi
	vpbroadcastd	(%rax), %zmm27
	prefetcht1	(%r10)
	vmovups	-64(%rsi), %zmm0
	addq	$64, %r10
	addq	$48, %rax
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm1, %zmm26
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm0, %zmm16
# 0 "" 2
#NO_APP
	vpbroadcastd	-44(%rax), %zmm27
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm1, %zmm25
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm0, %zmm15
# 0 "" 2
#NO_APP
	vpbroadcastd	-40(%rax), %zmm27
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm1, %zmm24
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm0, %zmm14
# 0 "" 2
#NO_APP
	vpbroadcastd	-36(%rax), %zmm27
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm1, %zmm23
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm0, %zmm13
# 0 "" 2
#NO_APP
	vpbroadcastd	-32(%rax), %zmm27
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm1, %zmm22
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm0, %zmm12
# 0 "" 2
#NO_APP
	vpbroadcastd	-28(%rax), %zmm27
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm1, %zmm21
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm0, %zmm11
# 0 "" 2
#NO_APP
	vpbroadcastd	-24(%rax), %zmm27
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm1, %zmm20
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm0, %zmm10
# 0 "" 2
#NO_APP
	vpbroadcastd	-20(%rax), %zmm27
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm1, %zmm19
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm0, %zmm9
# 0 "" 2
#NO_APP
	vpbroadcastd	-16(%rax), %zmm27
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm1, %zmm18
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm0, %zmm8
# 0 "" 2
#NO_APP
	vpbroadcastd	-12(%rax), %zmm27
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm1, %zmm17
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm0, %zmm7
# 0 "" 2
#NO_APP
	vpbroadcastd	-8(%rax), %zmm27
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm1, %zmm6
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm0, %zmm5
# 0 "" 2
#NO_APP
	vpbroadcastd	-4(%rax), %zmm27
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm1, %zmm4
# 0 "" 2
#NO_APP
	vmovdqa64	%zmm3, %zmm1
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm0, %zmm1
# 0 "" 2
#NO_APP
	vmovdqa64	%zmm1, %zmm3
	cmpq	%rsi, %r13
	jne	.L1860
	vmovss	(%rdx), %xmm0
	vcvtdq2ps	%zmm26, %zmm26
	kortestb	%k0, %k0
	vbroadcastss	%xmm0, %zmm0
	jne	.L1861
	vfmadd213ps	(%rcx), %zmm0, %zmm26
	vmovups	64(%rcx), %zmm0
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm25, %zmm25
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm24, %zmm24
	vcvtdq2ps	%zmm14, %zmm14
	vmovups	384(%rcx), %zmm1
	vcvtdq2ps	%zmm23, %zmm23
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm22, %zmm22
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm21, %zmm21
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm20, %zmm20
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm19, %zmm19
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm8, %zmm8
	vmovups	%zmm26, (%rcx)
	vcvtdq2ps	%zmm17, %zmm17
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm6, %zmm6
	vfmadd132ps	(%rdx){1to16}, %zmm0, %zmm16
	vcvtdq2ps	%zmm5, %zmm5
	vmovups	128(%rcx), %zmm0
	vcvtdq2ps	%zmm4, %zmm4
	vmovups	%zmm16, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm0, %zmm25
	vmovups	192(%rcx), %zmm0
	vmovups	%zmm25, 128(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm0, %zmm15
	vmovups	256(%rcx), %zmm0
	vmovups	%zmm15, 192(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm0, %zmm24
	vmovups	320(%rcx), %zmm0
	vmovups	%zmm24, 256(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm0, %zmm14
	vmovups	448(%rcx), %zmm0
	vmovups	%zmm14, 320(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm1, %zmm23
	vmovups	512(%rcx), %zmm1
	vmovups	%zmm23, 384(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm0, %zmm13
	vmovups	576(%rcx), %zmm0
	vmovups	%zmm13, 448(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm1, %zmm22
	vmovups	640(%rcx), %zmm1
	vmovups	%zmm22, 512(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm0, %zmm12
	vmovups	%zmm12, 576(%rcx)
	vfmadd132ps	40(%rdx){1to16}, %zmm1, %zmm21
	vmovups	%zmm21, 640(%rcx)
	vmovups	704(%rcx), %zmm0
	vmovups	768(%rcx), %zmm1
	vfmadd132ps	40(%rdx){1to16}, %zmm0, %zmm11
	vmovups	832(%rcx), %zmm0
	vmovups	%zmm11, 704(%rcx)
	vfmadd132ps	48(%rdx){1to16}, %zmm1, %zmm20
	vmovups	896(%rcx), %zmm1
	vmovups	%zmm20, 768(%rcx)
	vfmadd132ps	48(%rdx){1to16}, %zmm0, %zmm10
	vmovups	960(%rcx), %zmm0
	vmovups	%zmm10, 832(%rcx)
	vfmadd132ps	56(%rdx){1to16}, %zmm1, %zmm19
	vmovups	1024(%rcx), %zmm1
	vmovups	%zmm19, 896(%rcx)
	vfmadd132ps	56(%rdx){1to16}, %zmm0, %zmm9
	vmovups	1088(%rcx), %zmm0
	vmovups	%zmm9, 960(%rcx)
	vfmadd132ps	64(%rdx){1to16}, %zmm1, %zmm18
	vmovups	1152(%rcx), %zmm1
	vmovups	%zmm18, 1024(%rcx)
	vfmadd132ps	64(%rdx){1to16}, %zmm0, %zmm8
	vmovups	1216(%rcx), %zmm0
	vmovups	%zmm8, 1088(%rcx)
	vfmadd132ps	72(%rdx){1to16}, %zmm1, %zmm17
	vcvtdq2ps	%zmm3, %zmm1
	vmovups	%zmm17, 1152(%rcx)
	vfmadd132ps	72(%rdx){1to16}, %zmm0, %zmm7
	vmovups	%zmm7, 1216(%rcx)
	vmovups	1280(%rcx), %zmm7
	vfmadd132ps	80(%rdx){1to16}, %zmm7, %zmm6
	vmovups	%zmm6, 1280(%rcx)
	vmovups	1344(%rcx), %zmm6
	vfmadd132ps	80(%rdx){1to16}, %zmm6, %zmm5
	vmovups	%zmm5, 1344(%rcx)
	vmovups	1408(%rcx), %zmm5
	vmovups	1472(%rcx), %zmm3
	vfmadd132ps	88(%rdx){1to16}, %zmm5, %zmm4
	vmovups	%zmm4, 1408(%rcx)
	vfmadd132ps	88(%rdx){1to16}, %zmm3, %zmm1
.L2055:
	addq	$32, %r14
	addq	$96, %rdx
	addq	$2048, 112(%rsp)
	addq	$4096, %r15
	addq	$1536, 104(%rsp)
	vmovups	%zmm1, 1472(%rcx)
	cmpq	%r14, %r9
	jle	.L2027
	kxorb	%k0, %k0, %k0
	jmp	.L1864
.L1861:
	vfmadd132ps	%zmm0, %zmm2, %zmm26
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm25, %zmm25
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm24, %zmm24
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm23, %zmm23
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm22, %zmm22
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm21, %zmm21
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm20, %zmm20
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm19, %zmm19
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm17, %zmm17
	vcvtdq2ps	%zmm7, %zmm7
	vmovups	%zmm26, (%rcx)
	vcvtdq2ps	%zmm6, %zmm6
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm4, %zmm4
	vfmadd132ps	(%rdx){1to16}, %zmm2, %zmm16
	vcvtdq2ps	%zmm1, %zmm1
	vmovups	%zmm16, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm25
	vmovups	%zmm25, 128(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm15
	vmovups	%zmm15, 192(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm24
	vmovups	%zmm24, 256(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm14
	vmovups	%zmm14, 320(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm23
	vmovups	%zmm23, 384(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm13
	vmovups	%zmm13, 448(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm22
	vmovups	%zmm22, 512(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm12
	vmovups	%zmm12, 576(%rcx)
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm21
	vmovups	%zmm21, 640(%rcx)
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm11
	vmovups	%zmm11, 704(%rcx)
	vfmadd132ps	48(%rdx){1to16}, %zmm2, %zmm20
	vmovups	%zmm20, 768(%rcx)
	vfmadd132ps	48(%rdx){1to16}, %zmm2, %zmm10
	vmovups	%zmm10, 832(%rcx)
	vfmadd132ps	56(%rdx){1to16}, %zmm2, %zmm19
	vmovups	%zmm19, 896(%rcx)
	vfmadd132ps	56(%rdx){1to16}, %zmm2, %zmm9
	vmovups	%zmm9, 960(%rcx)
	vfmadd132ps	64(%rdx){1to16}, %zmm2, %zmm18
	vmovups	%zmm18, 1024(%rcx)
	vfmadd132ps	64(%rdx){1to16}, %zmm2, %zmm8
	vmovups	%zmm8, 1088(%rcx)
	vfmadd132ps	72(%rdx){1to16}, %zmm2, %zmm17
	vmovups	%zmm17, 1152(%rcx)
	vfmadd132ps	72(%rdx){1to16}, %zmm2, %zmm7
	vmovups	%zmm7, 1216(%rcx)
	vfmadd132ps	80(%rdx){1to16}, %zmm2, %zmm6
	vmovups	%zmm6, 1280(%rcx)
	vfmadd132ps	80(%rdx){1to16}, %zmm2, %zmm5
	vmovups	%zmm5, 1344(%rcx)
	vfmadd132ps	88(%rdx){1to16}, %zmm2, %zmm4
	vmovups	%zmm4, 1408(%rcx)
	vfmadd132ps	88(%rdx){1to16}, %zmm2, %zmm1
	jmp	.L2055
.L2076:
	movq	%rax, 112(%rsp)
	kmovb	%r8d, %k0
	movq	%r9, %r15
	xorl	%r14d, %r14d
	movq	%r11, 104(%rsp)
	movl	%r8d, %r11d
	movq	%rdi, %r8
.L1900:
	movq	%r8, %rax
	movl	$32, %esi
	vpbroadcastd	4(%rdx), %zmm11
	vpbroadcastd	12(%rdx), %zmm9
	subq	%r14, %rax
	vpbroadcastd	20(%rdx), %zmm7
	vpbroadcastd	28(%rdx), %zmm5
	cmpq	%rsi, %rax
	movq	112(%rsp), %r13
	vpbroadcastd	36(%rdx), %zmm3
	vmovdqa64	%zmm11, %zmm12
	cmovg	%rsi, %rax
	vpbroadcastd	44(%rdx), %zmm13
	movq	%r15, %rsi
	vmovdqa64	%zmm9, %zmm10
	vmovdqa64	%zmm7, %zmm8
	vmovdqa64	%zmm5, %zmm6
	salq	$7, %rax
	vmovdqa64	%zmm3, %zmm4
	vmovdqa64	%zmm13, %zmm14
	leaq	(%rax,%r15), %rdi
	movq	%r10, %rax
.L1896:
	vmovups	(%rsi), %zmm1
	subq	$-128, %rsi
	prefetcht1	0(%r13)
	vpbroadcastd	(%rax), %zmm15
	vmovups	-64(%rsi), %zmm0
	addq	$64, %r13
	addq	$24, %rax
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm15, %zmm1, %zmm12
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm15, %zmm0, %zmm11
# 0 "" 2
#NO_APP
	vpbroadcastd	-20(%rax), %zmm15
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm15, %zmm1, %zmm10
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm15, %zmm0, %zmm9
# 0 "" 2
#NO_APP
	vpbroadcastd	-16(%rax), %zmm15
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm15, %zmm1, %zmm8
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm15, %zmm0, %zmm7
# 0 "" 2
#NO_APP
	vpbroadcastd	-12(%rax), %zmm15
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm15, %zmm1, %zmm6
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm15, %zmm0, %zmm5
# 0 "" 2
#NO_APP
	vpbroadcastd	-8(%rax), %zmm15
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm15, %zmm1, %zmm4
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm15, %zmm0, %zmm3
# 0 "" 2
#NO_APP
	vpbroadcastd	-4(%rax), %zmm15
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm15, %zmm1, %zmm14
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm15, %zmm0, %zmm13
# 0 "" 2
#NO_APP
	cmpq	%rsi, %rdi
	jne	.L1896
	vmovss	(%rdx), %xmm0
	vcvtdq2ps	%zmm12, %zmm12
	kortestb	%k0, %k0
	vbroadcastss	%xmm0, %zmm0
	jne	.L1897
	vfmadd213ps	(%rcx), %zmm0, %zmm12
	vmovups	64(%rcx), %zmm0
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm10, %zmm10
	vmovups	128(%rcx), %zmm1
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm6, %zmm6
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm4, %zmm4
	vcvtdq2ps	%zmm3, %zmm3
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm13, %zmm13
	vmovups	%zmm12, (%rcx)
	vfmadd132ps	(%rdx){1to16}, %zmm0, %zmm11
	vmovups	192(%rcx), %zmm0
	vmovups	%zmm11, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm1, %zmm10
	vmovups	256(%rcx), %zmm1
	vmovups	%zmm10, 128(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm0, %zmm9
	vmovups	320(%rcx), %zmm0
	vmovups	%zmm9, 192(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm1, %zmm8
	vmovups	%zmm8, 256(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm0, %zmm7
	vmovups	%zmm7, 320(%rcx)
	vmovups	384(%rcx), %zmm7
	vfmadd132ps	24(%rdx){1to16}, %zmm7, %zmm6
	vmovups	%zmm6, 384(%rcx)
	vmovups	448(%rcx), %zmm6
	vfmadd132ps	24(%rdx){1to16}, %zmm6, %zmm5
	vmovups	%zmm5, 448(%rcx)
	vmovups	512(%rcx), %zmm5
	vfmadd132ps	32(%rdx){1to16}, %zmm5, %zmm4
	vmovups	%zmm4, 512(%rcx)
	vmovups	576(%rcx), %zmm4
	vfmadd132ps	32(%rdx){1to16}, %zmm4, %zmm3
	vmovups	%zmm3, 576(%rcx)
	vmovups	640(%rcx), %zmm3
	vfmadd132ps	40(%rdx){1to16}, %zmm3, %zmm14
	vmovups	%zmm14, 640(%rcx)
	vmovups	704(%rcx), %zmm3
	vfmadd132ps	40(%rdx){1to16}, %zmm3, %zmm13
	vmovups	%zmm13, 704(%rcx)
.L2061:
	addq	$32, %r14
	addq	$48, %rdx
	addq	$2048, 112(%rsp)
	addq	$4096, %r15
	addq	$768, %r10
	cmpq	%r14, %r8
	jle	.L2031
	kxorb	%k0, %k0, %k0
	jmp	.L1900
.L1897:
	vfmadd132ps	%zmm0, %zmm2, %zmm12
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm6, %zmm6
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm4, %zmm4
	vcvtdq2ps	%zmm3, %zmm3
	vcvtdq2ps	%zmm14, %zmm1
	vcvtdq2ps	%zmm13, %zmm0
	vmovups	%zmm12, (%rcx)
	vfmadd132ps	(%rdx){1to16}, %zmm2, %zmm11
	vmovups	%zmm11, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm10
	vmovups	%zmm10, 128(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm9
	vmovups	%zmm9, 192(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm8
	vmovups	%zmm8, 256(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm7
	vmovups	%zmm7, 320(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm6
	vmovups	%zmm6, 384(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm5
	vmovups	%zmm5, 448(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm4
	vmovups	%zmm4, 512(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm3
	vmovups	%zmm3, 576(%rcx)
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm1
	vmovups	%zmm1, 640(%rcx)
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm0
	vmovups	%zmm0, 704(%rcx)
	jmp	.L2061
.L2031:
	movq	%r8, %rdi
	movl	%r11d, %r8d
	movq	104(%rsp), %r11
	jmp	.L1766
.L2075:
	movq	%rax, 112(%rsp)
	movq	%r9, %r15
	movq	%r10, %r13
	xorl	%r14d, %r14d
	movq	%r11, 104(%rsp)
	movq	%r9, %r11
	movq	%rdi, %r9
	kmovb	%r8d, %k0
.L1894:
	movq	%r9, %rax
	movl	$32, %esi
	vpbroadcastd	52(%rdx), %zmm1
	vpbroadcastd	4(%rdx), %zmm15
	subq	%r14, %rax
	vpbroadcastd	12(%rdx), %zmm13
	vpbroadcastd	20(%rdx), %zmm11
	cmpq	%rsi, %rax
	vpbroadcastd	28(%rdx), %zmm9
	vpbroadcastd	36(%rdx), %zmm7
	vmovdqa64	%zmm15, %zmm16
	cmovg	%rsi, %rax
	vpbroadcastd	44(%rdx), %zmm5
	movq	%r15, %rsi
	movq	112(%rsp), %r10
	vmovdqa64	%zmm13, %zmm14
	vmovdqa64	%zmm11, %zmm12
	salq	$7, %rax
	vmovdqa64	%zmm9, %zmm10
	vmovdqa64	%zmm7, %zmm8
	leaq	(%rax,%r15), %rdi
	vmovdqa64	%zmm5, %zmm6
	vmovdqa64	%zmm1, %zmm4
	movq	%r13, %rax
	vmovdqa64	%zmm1, %zmm3
.L1890:
	vmovups	(%rsi), %zmm1
	subq	$-128, %rsi
	vpbroadcastd	(%rax), %zmm17
	prefetcht1	(%r10)
	vmovups	-64(%rsi), %zmm0
	addq	$64, %r10
	addq	$28, %rax
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm17, %zmm1, %zmm16
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm17, %zmm0, %zmm15
# 0 "" 2
#NO_APP
	vpbroadcastd	-24(%rax), %zmm17
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm17, %zmm1, %zmm14
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm17, %zmm0, %zmm13
# 0 "" 2
#NO_APP
	vpbroadcastd	-20(%rax), %zmm17
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm17, %zmm1, %zmm12
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm17, %zmm0, %zmm11
# 0 "" 2
#NO_APP
	vpbroadcastd	-16(%rax), %zmm17
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm17, %zmm1, %zmm10
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm17, %zmm0, %zmm9
# 0 "" 2
#NO_APP
	vpbroadcastd	-12(%rax), %zmm17
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm17, %zmm1, %zmm8
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm17, %zmm0, %zmm7
# 0 "" 2
#NO_APP
	vpbroadcastd	-8(%rax), %zmm17
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm17, %zmm1, %zmm6
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm17, %zmm0, %zmm5
# 0 "" 2
#NO_APP
	vpbroadcastd	-4(%rax), %zmm17
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm17, %zmm1, %zmm4
# 0 "" 2
#NO_APP
	vmovdqa64	%zmm3, %zmm1
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm17, %zmm0, %zmm1
# 0 "" 2
#NO_APP
	vmovdqa64	%zmm1, %zmm3
	cmpq	%rsi, %rdi
	jne	.L1890
	vmovss	(%rdx), %xmm0
	vcvtdq2ps	%zmm16, %zmm16
	kortestb	%k0, %k0
	vbroadcastss	%xmm0, %zmm0
	jne	.L1891
	vfmadd213ps	(%rcx), %zmm0, %zmm16
	vmovups	64(%rcx), %zmm1
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm14, %zmm14
	vmovups	128(%rcx), %zmm0
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm6, %zmm6
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm4, %zmm4
	vmovups	%zmm16, (%rcx)
	vfmadd132ps	(%rdx){1to16}, %zmm1, %zmm15
	vmovups	192(%rcx), %zmm1
	vmovups	%zmm15, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm0, %zmm14
	vmovups	256(%rcx), %zmm0
	vmovups	%zmm14, 128(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm1, %zmm13
	vmovups	320(%rcx), %zmm1
	vmovups	%zmm13, 192(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm0, %zmm12
	vmovups	384(%rcx), %zmm0
	vmovups	%zmm12, 256(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm1, %zmm11
	vmovups	448(%rcx), %zmm1
	vmovups	%zmm11, 320(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm0, %zmm10
	vmovups	512(%rcx), %zmm0
	vmovups	%zmm10, 384(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm1, %zmm9
	vmovups	576(%rcx), %zmm1
	vmovups	%zmm9, 448(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm0, %zmm8
	vmovups	%zmm8, 512(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm1, %zmm7
	vcvtdq2ps	%zmm3, %zmm1
	vmovups	%zmm7, 576(%rcx)
	vmovups	640(%rcx), %zmm7
	vfmadd132ps	40(%rdx){1to16}, %zmm7, %zmm6
	vmovups	%zmm6, 640(%rcx)
	vmovups	704(%rcx), %zmm6
	vmovups	832(%rcx), %zmm3
	vfmadd132ps	40(%rdx){1to16}, %zmm6, %zmm5
	vmovups	%zmm5, 704(%rcx)
	vmovups	768(%rcx), %zmm5
	vfmadd132ps	48(%rdx){1to16}, %zmm5, %zmm4
	vmovups	%zmm4, 768(%rcx)
	vfmadd132ps	48(%rdx){1to16}, %zmm3, %zmm1
.L2060:
	addq	$32, %r14
	addq	$56, %rdx
	addq	$2048, 112(%rsp)
	addq	$4096, %r15
	vmovups	%zmm1, 832(%rcx)
	addq	$896, %r13
	cmpq	%r14, %r9
	jle	.L2028
	kxorb	%k0, %k0, %k0
	jmp	.L1894
.L1891:
	vfmadd132ps	%zmm0, %zmm2, %zmm16
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm14, %zmm0
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm10, %zmm1
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm5, %zmm5
	vmovups	%zmm16, (%rcx)
	vfmadd132ps	(%rdx){1to16}, %zmm2, %zmm15
	vmovups	%zmm15, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm0
	vmovups	%zmm0, 128(%rcx)
	vcvtdq2ps	%zmm12, %zmm0
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm13
	vmovups	%zmm13, 192(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm0
	vmovups	%zmm0, 256(%rcx)
	vcvtdq2ps	%zmm8, %zmm0
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm11
	vmovups	%zmm11, 320(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm1
	vmovups	%zmm1, 384(%rcx)
	vcvtdq2ps	%zmm6, %zmm1
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm9
	vmovups	%zmm9, 448(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm0
	vmovups	%zmm0, 512(%rcx)
	vcvtdq2ps	%zmm4, %zmm0
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm7
	vmovups	%zmm7, 576(%rcx)
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm1
	vmovups	%zmm1, 640(%rcx)
	vcvtdq2ps	%zmm3, %zmm1
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm5
	vmovups	%zmm5, 704(%rcx)
	vfmadd132ps	48(%rdx){1to16}, %zmm2, %zmm0
	vmovups	%zmm0, 768(%rcx)
	vfmadd132ps	48(%rdx){1to16}, %zmm2, %zmm1
	jmp	.L2060
.L2028:
	movq	%r9, %rdi
	movq	%r11, %r9
	movq	104(%rsp), %r11
	jmp	.L1766
.L2074:
	movq	%r10, 104(%rsp)
	movq	%r9, %r15
	kmovb	%r8d, %k0
	xorl	%r14d, %r14d
	movq	%rax, 112(%rsp)
	movq	%r11, %rax
	movq	%r9, %r11
	movq	%rdi, %r9
	movl	%r8d, %edi
	movq	%rax, %r8
.L1888:
	movq	%r9, %rax
	movl	$32, %esi
	vpbroadcastd	60(%rdx), %zmm1
	vpbroadcastd	4(%rdx), %zmm16
	subq	%r14, %rax
	vpbroadcastd	12(%rdx), %zmm15
	vpbroadcastd	20(%rdx), %zmm13
	cmpq	%rsi, %rax
	vpbroadcastd	28(%rdx), %zmm11
	vpbroadcastd	36(%rdx), %zmm9
	vmovdqa64	%zmm16, %zmm18
	cmovg	%rsi, %rax
	vpbroadcastd	44(%rdx), %zmm7
	movq	112(%rsp), %r10
	vmovdqa64	%zmm15, %zmm17
	vpbroadcastd	52(%rdx), %zmm5
	vmovdqa64	%zmm13, %zmm14
	movq	%r15, %rsi
	salq	$7, %rax
	vmovdqa64	%zmm11, %zmm12
	vmovdqa64	%zmm9, %zmm10
	leaq	(%rax,%r15), %r13
	movq	104(%rsp), %rax
	vmovdqa64	%zmm7, %zmm8
	vmovdqa64	%zmm5, %zmm6
	vmovdqa64	%zmm1, %zmm4
	vmovdqa64	%zmm1, %zmm3
.L1884:
	vmovups	(%rsi), %zmm1
	subq	$-128, %rsi
	vpbroadcastd	(%rax), %zmm19
	prefetcht1	(%r10)
	vmovups	-64(%rsi), %zmm0
	addq	$64, %r10
	addq	$32, %rax
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm19, %zmm1, %zmm18
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm19, %zmm0, %zmm16
# 0 "" 2
#NO_APP
	vpbroadcastd	-28(%rax), %zmm19
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm19, %zmm1, %zmm17
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm19, %zmm0, %zmm15
# 0 "" 2
#NO_APP
	vpbroadcastd	-24(%rax), %zmm19
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm19, %zmm1, %zmm14
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm19, %zmm0, %zmm13
# 0 "" 2
#NO_APP
	vpbroadcastd	-20(%rax), %zmm19
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm19, %zmm1, %zmm12
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm19, %zmm0, %zmm11
# 0 "" 2
#NO_APP
	vpbroadcastd	-16(%rax), %zmm19
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm19, %zmm1, %zmm10
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm19, %zmm0, %zmm9
# 0 "" 2
#NO_APP
	vpbroadcastd	-12(%rax), %zmm19
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm19, %zmm1, %zmm8
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm19, %zmm0, %zmm7
# 0 "" 2
#NO_APP
	vpbroadcastd	-8(%rax), %zmm19
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm19, %zmm1, %zmm6
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm19, %zmm0, %zmm5
# 0 "" 2
#NO_APP
	vpbroadcastd	-4(%rax), %zmm19
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm19, %zmm1, %zmm4
# 0 "" 2
#NO_APP
	vmovdqa64	%zmm3, %zmm1
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm19, %zmm0, %zmm1
# 0 "" 2
#NO_APP
	vmovdqa64	%zmm1, %zmm3
	cmpq	%r13, %rsi
	jne	.L1884
	vmovss	(%rdx), %xmm0
	vcvtdq2ps	%zmm18, %zmm18
	kortestb	%k0, %k0
	vbroadcastss	%xmm0, %zmm0
	jne	.L1885
	vfmadd213ps	(%rcx), %zmm0, %zmm18
	vmovups	64(%rcx), %zmm0
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm17, %zmm17
	vmovups	128(%rcx), %zmm1
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm6, %zmm6
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm4, %zmm4
	vmovups	%zmm18, (%rcx)
	vfmadd132ps	(%rdx){1to16}, %zmm0, %zmm16
	vmovups	192(%rcx), %zmm0
	vmovups	%zmm16, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm1, %zmm17
	vmovups	256(%rcx), %zmm1
	vmovups	%zmm17, 128(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm0, %zmm15
	vmovups	320(%rcx), %zmm0
	vmovups	%zmm15, 192(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm1, %zmm14
	vmovups	384(%rcx), %zmm1
	vmovups	%zmm14, 256(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm0, %zmm13
	vmovups	448(%rcx), %zmm0
	vmovups	%zmm13, 320(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm1, %zmm12
	vmovups	512(%rcx), %zmm1
	vmovups	%zmm12, 384(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm0, %zmm11
	vmovups	576(%rcx), %zmm0
	vmovups	%zmm11, 448(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm1, %zmm10
	vmovups	640(%rcx), %zmm1
	vmovups	%zmm10, 512(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm0, %zmm9
	vmovups	%zmm9, 576(%rcx)
	vfmadd132ps	40(%rdx){1to16}, %zmm1, %zmm8
	vcvtdq2ps	%zmm3, %zmm1
	vmovups	%zmm8, 640(%rcx)
	vmovups	704(%rcx), %zmm0
	vmovups	960(%rcx), %zmm3
	vfmadd132ps	40(%rdx){1to16}, %zmm0, %zmm7
	vmovups	%zmm7, 704(%rcx)
	vmovups	768(%rcx), %zmm7
	vfmadd132ps	48(%rdx){1to16}, %zmm7, %zmm6
	vmovups	%zmm6, 768(%rcx)
	vmovups	832(%rcx), %zmm6
	vfmadd132ps	48(%rdx){1to16}, %zmm6, %zmm5
	vmovups	%zmm5, 832(%rcx)
	vmovups	896(%rcx), %zmm5
	vfmadd132ps	56(%rdx){1to16}, %zmm5, %zmm4
	vmovups	%zmm4, 896(%rcx)
	vfmadd132ps	56(%rdx){1to16}, %zmm3, %zmm1
.L2059:
	addq	$32, %r14
	addq	$64, %rdx
	addq	$2048, 112(%rsp)
	addq	$4096, %r15
	addq	$1024, 104(%rsp)
	vmovups	%zmm1, 960(%rcx)
	cmpq	%r14, %r9
	jle	.L2027
	kxorb	%k0, %k0, %k0
	jmp	.L1888
.L1885:
	vfmadd132ps	%zmm0, %zmm2, %zmm18
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm17, %zmm17
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm6, %zmm6
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm4, %zmm4
	vcvtdq2ps	%zmm1, %zmm1
	vmovups	%zmm18, (%rcx)
	vfmadd132ps	(%rdx){1to16}, %zmm2, %zmm16
	vmovups	%zmm16, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm17
	vmovups	%zmm17, 128(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm15
	vmovups	%zmm15, 192(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm14
	vmovups	%zmm14, 256(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm13
	vmovups	%zmm13, 320(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm12
	vmovups	%zmm12, 384(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm11
	vmovups	%zmm11, 448(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm10
	vmovups	%zmm10, 512(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm9
	vmovups	%zmm9, 576(%rcx)
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm8
	vmovups	%zmm8, 640(%rcx)
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm7
	vmovups	%zmm7, 704(%rcx)
	vfmadd132ps	48(%rdx){1to16}, %zmm2, %zmm6
	vmovups	%zmm6, 768(%rcx)
	vfmadd132ps	48(%rdx){1to16}, %zmm2, %zmm5
	vmovups	%zmm5, 832(%rcx)
	vfmadd132ps	56(%rdx){1to16}, %zmm2, %zmm4
	vmovups	%zmm4, 896(%rcx)
	vfmadd132ps	56(%rdx){1to16}, %zmm2, %zmm1
	jmp	.L2059
.L2073:
	movq	%r10, 104(%rsp)
	movq	%r9, %r15
	kmovb	%r8d, %k0
	xorl	%r14d, %r14d
	movq	%rax, 112(%rsp)
	movq	%r11, %rax
	movq	%r9, %r11
	movq	%rdi, %r9
	movl	%r8d, %edi
	movq	%rax, %r8
.L1882:
	movq	%r9, %rax
	movl	$32, %esi
	vpbroadcastd	68(%rdx), %zmm1
	vpbroadcastd	4(%rdx), %zmm16
	subq	%r14, %rax
	vpbroadcastd	12(%rdx), %zmm15
	vpbroadcastd	20(%rdx), %zmm14
	cmpq	%rsi, %rax
	vpbroadcastd	28(%rdx), %zmm13
	vpbroadcastd	36(%rdx), %zmm11
	vmovdqa64	%zmm16, %zmm20
	cmovg	%rsi, %rax
	movq	112(%rsp), %r10
	movq	%r15, %rsi
	vpbroadcastd	44(%rdx), %zmm9
	vpbroadcastd	52(%rdx), %zmm7
	vpbroadcastd	60(%rdx), %zmm5
	vmovdqa64	%zmm15, %zmm19
	vmovdqa64	%zmm14, %zmm18
	salq	$7, %rax
	vmovdqa64	%zmm13, %zmm17
	vmovdqa64	%zmm11, %zmm12
	leaq	(%rax,%r15), %r13
	movq	104(%rsp), %rax
	vmovdqa64	%zmm9, %zmm10
	vmovdqa64	%zmm7, %zmm8
	vmovdqa64	%zmm5, %zmm6
	vmovdqa64	%zmm1, %zmm4
	vmovdqa64	%zmm1, %zmm3
.L1878:
	vmovups	(%rsi), %zmm1
	subq	$-128, %rsi
	vpbroadcastd	(%rax), %zmm21
	prefetcht1	(%r10)
	vmovups	-64(%rsi), %zmm0
	addq	$64, %r10
	addq	$36, %rax
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm1, %zmm20
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm0, %zmm16
# 0 "" 2
#NO_APP
	vpbroadcastd	-32(%rax), %zmm21
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm1, %zmm19
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm0, %zmm15
# 0 "" 2
#NO_APP
	vpbroadcastd	-28(%rax), %zmm21
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm1, %zmm18
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm0, %zmm14
# 0 "" 2
#NO_APP
	vpbroadcastd	-24(%rax), %zmm21
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm1, %zmm17
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm0, %zmm13
# 0 "" 2
#NO_APP
	vpbroadcastd	-20(%rax), %zmm21
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm1, %zmm12
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm0, %zmm11
# 0 "" 2
#NO_APP
	vpbroadcastd	-16(%rax), %zmm21
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm1, %zmm10
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm0, %zmm9
# 0 "" 2
#NO_APP
	vpbroadcastd	-12(%rax), %zmm21
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm1, %zmm8
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm0, %zmm7
# 0 "" 2
#NO_APP
	vpbroadcastd	-8(%rax), %zmm21
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm1, %zmm6
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm0, %zmm5
# 0 "" 2
#NO_APP
	vpbroadcastd	-4(%rax), %zmm21
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm1, %zmm4
# 0 "" 2
#NO_APP
	vmovdqa64	%zmm3, %zmm1
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm0, %zmm1
# 0 "" 2
#NO_APP
	vmovdqa64	%zmm1, %zmm3
	cmpq	%rsi, %r13
	jne	.L1878
	vmovss	(%rdx), %xmm0
	vcvtdq2ps	%zmm20, %zmm20
	kortestb	%k0, %k0
	vbroadcastss	%xmm0, %zmm0
	jne	.L1879
	vfmadd213ps	(%rcx), %zmm0, %zmm20
	vmovups	64(%rcx), %zmm1
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm19, %zmm19
	vmovups	128(%rcx), %zmm0
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm17, %zmm17
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm6, %zmm6
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm4, %zmm4
	vmovups	%zmm20, (%rcx)
	vfmadd132ps	(%rdx){1to16}, %zmm1, %zmm16
	vmovups	192(%rcx), %zmm1
	vmovups	%zmm16, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm0, %zmm19
	vmovups	256(%rcx), %zmm0
	vmovups	%zmm19, 128(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm1, %zmm15
	vmovups	320(%rcx), %zmm1
	vmovups	%zmm15, 192(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm0, %zmm18
	vmovups	384(%rcx), %zmm0
	vmovups	%zmm18, 256(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm1, %zmm14
	vmovups	448(%rcx), %zmm1
	vmovups	%zmm14, 320(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm0, %zmm17
	vmovups	512(%rcx), %zmm0
	vmovups	%zmm17, 384(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm1, %zmm13
	vmovups	576(%rcx), %zmm1
	vmovups	%zmm13, 448(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm0, %zmm12
	vmovups	640(%rcx), %zmm0
	vmovups	%zmm12, 512(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm1, %zmm11
	vmovups	%zmm11, 576(%rcx)
	vfmadd132ps	40(%rdx){1to16}, %zmm0, %zmm10
	vmovups	%zmm10, 640(%rcx)
	vmovups	704(%rcx), %zmm1
	vmovups	768(%rcx), %zmm0
	vfmadd132ps	40(%rdx){1to16}, %zmm1, %zmm9
	vmovups	832(%rcx), %zmm1
	vmovups	%zmm9, 704(%rcx)
	vfmadd132ps	48(%rdx){1to16}, %zmm0, %zmm8
	vmovups	%zmm8, 768(%rcx)
	vfmadd132ps	48(%rdx){1to16}, %zmm1, %zmm7
	vcvtdq2ps	%zmm3, %zmm1
	vmovups	1088(%rcx), %zmm3
	vmovups	%zmm7, 832(%rcx)
	vmovups	896(%rcx), %zmm7
	vfmadd132ps	56(%rdx){1to16}, %zmm7, %zmm6
	vmovups	%zmm6, 896(%rcx)
	vmovups	960(%rcx), %zmm6
	vfmadd132ps	56(%rdx){1to16}, %zmm6, %zmm5
	vmovups	%zmm5, 960(%rcx)
	vmovups	1024(%rcx), %zmm5
	vfmadd132ps	64(%rdx){1to16}, %zmm5, %zmm4
	vmovups	%zmm4, 1024(%rcx)
	vfmadd132ps	64(%rdx){1to16}, %zmm3, %zmm1
.L2058:
	addq	$32, %r14
	addq	$72, %rdx
	addq	$2048, 112(%rsp)
	addq	$4096, %r15
	addq	$1152, 104(%rsp)
	vmovups	%zmm1, 1088(%rcx)
	cmpq	%r14, %r9
	jle	.L2027
	kxorb	%k0, %k0, %k0
	jmp	.L1882
.L1879:
	vfmadd132ps	%zmm0, %zmm2, %zmm20
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm19, %zmm19
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm17, %zmm17
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm6, %zmm6
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm4, %zmm4
	vcvtdq2ps	%zmm1, %zmm1
	vmovups	%zmm20, (%rcx)
	vfmadd132ps	(%rdx){1to16}, %zmm2, %zmm16
	vmovups	%zmm16, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm19
	vmovups	%zmm19, 128(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm15
	vmovups	%zmm15, 192(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm18
	vmovups	%zmm18, 256(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm14
	vmovups	%zmm14, 320(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm17
	vmovups	%zmm17, 384(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm13
	vmovups	%zmm13, 448(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm12
	vmovups	%zmm12, 512(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm11
	vmovups	%zmm11, 576(%rcx)
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm10
	vmovups	%zmm10, 640(%rcx)
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm9
	vmovups	%zmm9, 704(%rcx)
	vfmadd132ps	48(%rdx){1to16}, %zmm2, %zmm8
	vmovups	%zmm8, 768(%rcx)
	vfmadd132ps	48(%rdx){1to16}, %zmm2, %zmm7
	vmovups	%zmm7, 832(%rcx)
	vfmadd132ps	56(%rdx){1to16}, %zmm2, %zmm6
	vmovups	%zmm6, 896(%rcx)
	vfmadd132ps	56(%rdx){1to16}, %zmm2, %zmm5
	vmovups	%zmm5, 960(%rcx)
	vfmadd132ps	64(%rdx){1to16}, %zmm2, %zmm4
	vmovups	%zmm4, 1024(%rcx)
	vfmadd132ps	64(%rdx){1to16}, %zmm2, %zmm1
	jmp	.L2058
.L2072:
	movq	%r10, 104(%rsp)
	movq	%r9, %r15
	kmovb	%r8d, %k0
	xorl	%r14d, %r14d
	movq	%rax, 112(%rsp)
	movq	%r11, %rax
	movq	%r9, %r11
	movq	%rdi, %r9
	movl	%r8d, %edi
	movq	%rax, %r8
.L1876:
	movq	%r9, %rax
	movl	$32, %esi
	vpbroadcastd	76(%rdx), %zmm1
	vpbroadcastd	4(%rdx), %zmm16
	subq	%r14, %rax
	vpbroadcastd	12(%rdx), %zmm15
	vpbroadcastd	20(%rdx), %zmm14
	cmpq	%rsi, %rax
	vpbroadcastd	28(%rdx), %zmm13
	vpbroadcastd	36(%rdx), %zmm12
	vmovdqa64	%zmm16, %zmm22
	cmovg	%rsi, %rax
	vpbroadcastd	44(%rdx), %zmm11
	vpbroadcastd	52(%rdx), %zmm9
	vmovdqa64	%zmm15, %zmm21
	vpbroadcastd	60(%rdx), %zmm7
	vpbroadcastd	68(%rdx), %zmm5
	movq	%r15, %rsi
	vmovdqa64	%zmm14, %zmm20
	salq	$7, %rax
	movq	112(%rsp), %r10
	vmovdqa64	%zmm13, %zmm19
	vmovdqa64	%zmm12, %zmm18
	leaq	(%rax,%r15), %r13
	movq	104(%rsp), %rax
	vmovdqa64	%zmm11, %zmm17
	vmovdqa64	%zmm9, %zmm10
	vmovdqa64	%zmm7, %zmm8
	vmovdqa64	%zmm5, %zmm6
	vmovdqa64	%zmm1, %zmm4
	vmovdqa64	%zmm1, %zmm3
.L1872:
	vmovups	(%rsi), %zmm1
	subq	$-128, %rsi
	vpbroadcastd	(%rax), %zmm23
	prefetcht1	(%r10)
	vmovups	-64(%rsi), %zmm0
	addq	$64, %r10
	addq	$40, %rax
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm1, %zmm22
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm0, %zmm16
# 0 "" 2
#NO_APP
	vpbroadcastd	-36(%rax), %zmm23
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm1, %zmm21
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm0, %zmm15
# 0 "" 2
#NO_APP
	vpbroadcastd	-32(%rax), %zmm23
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm1, %zmm20
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm0, %zmm14
# 0 "" 2
#NO_APP
	vpbroadcastd	-28(%rax), %zmm23
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm1, %zmm19
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm0, %zmm13
# 0 "" 2
#NO_APP
	vpbroadcastd	-24(%rax), %zmm23
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm1, %zmm18
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm0, %zmm12
# 0 "" 2
#NO_APP
	vpbroadcastd	-20(%rax), %zmm23
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm1, %zmm17
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm0, %zmm11
# 0 "" 2
#NO_APP
	vpbroadcastd	-16(%rax), %zmm23
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm1, %zmm10
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm0, %zmm9
# 0 "" 2
#NO_APP
	vpbroadcastd	-12(%rax), %zmm23
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm1, %zmm8
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm0, %zmm7
# 0 "" 2
#NO_APP
	vpbroadcastd	-8(%rax), %zmm23
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm1, %zmm6
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm0, %zmm5
# 0 "" 2
#NO_APP
	vpbroadcastd	-4(%rax), %zmm23
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm1, %zmm4
# 0 "" 2
#NO_APP
	vmovdqa64	%zmm3, %zmm1
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm0, %zmm1
# 0 "" 2
#NO_APP
	vmovdqa64	%zmm1, %zmm3
	cmpq	%r13, %rsi
	jne	.L1872
	vmovss	(%rdx), %xmm0
	vcvtdq2ps	%zmm22, %zmm22
	kortestb	%k0, %k0
	vbroadcastss	%xmm0, %zmm0
	jne	.L1873
	vfmadd213ps	(%rcx), %zmm0, %zmm22
	vmovups	64(%rcx), %zmm0
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm21, %zmm21
	vmovups	128(%rcx), %zmm1
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm20, %zmm20
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm19, %zmm19
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm17, %zmm17
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm6, %zmm6
	vcvtdq2ps	%zmm5, %zmm5
	vmovups	%zmm22, (%rcx)
	vcvtdq2ps	%zmm4, %zmm4
	vfmadd132ps	(%rdx){1to16}, %zmm0, %zmm16
	vmovups	192(%rcx), %zmm0
	vmovups	%zmm16, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm1, %zmm21
	vmovups	256(%rcx), %zmm1
	vmovups	%zmm21, 128(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm0, %zmm15
	vmovups	320(%rcx), %zmm0
	vmovups	%zmm15, 192(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm1, %zmm20
	vmovups	384(%rcx), %zmm1
	vmovups	%zmm20, 256(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm0, %zmm14
	vmovups	448(%rcx), %zmm0
	vmovups	%zmm14, 320(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm1, %zmm19
	vmovups	512(%rcx), %zmm1
	vmovups	%zmm19, 384(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm0, %zmm13
	vmovups	576(%rcx), %zmm0
	vmovups	%zmm13, 448(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm1, %zmm18
	vmovups	640(%rcx), %zmm1
	vmovups	%zmm18, 512(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm0, %zmm12
	vmovups	%zmm12, 576(%rcx)
	vfmadd132ps	40(%rdx){1to16}, %zmm1, %zmm17
	vmovups	%zmm17, 640(%rcx)
	vmovups	704(%rcx), %zmm0
	vmovups	768(%rcx), %zmm1
	vfmadd132ps	40(%rdx){1to16}, %zmm0, %zmm11
	vmovups	832(%rcx), %zmm0
	vmovups	%zmm11, 704(%rcx)
	vfmadd132ps	48(%rdx){1to16}, %zmm1, %zmm10
	vmovups	896(%rcx), %zmm1
	vmovups	%zmm10, 768(%rcx)
	vfmadd132ps	48(%rdx){1to16}, %zmm0, %zmm9
	vmovups	960(%rcx), %zmm0
	vmovups	%zmm9, 832(%rcx)
	vfmadd132ps	56(%rdx){1to16}, %zmm1, %zmm8
	vcvtdq2ps	%zmm3, %zmm1
	vmovups	1216(%rcx), %zmm3
	vmovups	%zmm8, 896(%rcx)
	vfmadd132ps	56(%rdx){1to16}, %zmm0, %zmm7
	vmovups	%zmm7, 960(%rcx)
	vmovups	1024(%rcx), %zmm7
	vfmadd132ps	64(%rdx){1to16}, %zmm7, %zmm6
	vmovups	%zmm6, 1024(%rcx)
	vmovups	1088(%rcx), %zmm6
	vfmadd132ps	64(%rdx){1to16}, %zmm6, %zmm5
	vmovups	%zmm5, 1088(%rcx)
	vmovups	1152(%rcx), %zmm5
	vfmadd132ps	72(%rdx){1to16}, %zmm5, %zmm4
	vmovups	%zmm4, 1152(%rcx)
	vfmadd132ps	72(%rdx){1to16}, %zmm3, %zmm1
.L2057:
	addq	$32, %r14
	addq	$80, %rdx
	addq	$2048, 112(%rsp)
	addq	$4096, %r15
	addq	$1280, 104(%rsp)
	vmovups	%zmm1, 1216(%rcx)
	cmpq	%r14, %r9
	jle	.L2027
	kxorb	%k0, %k0, %k0
	jmp	.L1876
.L1873:
	vfmadd132ps	%zmm0, %zmm2, %zmm22
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm21, %zmm21
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm20, %zmm20
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm19, %zmm19
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm17, %zmm17
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm6, %zmm6
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm4, %zmm4
	vcvtdq2ps	%zmm1, %zmm1
	vmovups	%zmm22, (%rcx)
	vfmadd132ps	(%rdx){1to16}, %zmm2, %zmm16
	vmovups	%zmm16, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm21
	vmovups	%zmm21, 128(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm15
	vmovups	%zmm15, 192(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm20
	vmovups	%zmm20, 256(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm14
	vmovups	%zmm14, 320(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm19
	vmovups	%zmm19, 384(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm13
	vmovups	%zmm13, 448(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm18
	vmovups	%zmm18, 512(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm12
	vmovups	%zmm12, 576(%rcx)
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm17
	vmovups	%zmm17, 640(%rcx)
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm11
	vmovups	%zmm11, 704(%rcx)
	vfmadd132ps	48(%rdx){1to16}, %zmm2, %zmm10
	vmovups	%zmm10, 768(%rcx)
	vfmadd132ps	48(%rdx){1to16}, %zmm2, %zmm9
	vmovups	%zmm9, 832(%rcx)
	vfmadd132ps	56(%rdx){1to16}, %zmm2, %zmm8
	vmovups	%zmm8, 896(%rcx)
	vfmadd132ps	56(%rdx){1to16}, %zmm2, %zmm7
	vmovups	%zmm7, 960(%rcx)
	vfmadd132ps	64(%rdx){1to16}, %zmm2, %zmm6
	vmovups	%zmm6, 1024(%rcx)
	vfmadd132ps	64(%rdx){1to16}, %zmm2, %zmm5
	vmovups	%zmm5, 1088(%rcx)
	vfmadd132ps	72(%rdx){1to16}, %zmm2, %zmm4
	vmovups	%zmm4, 1152(%rcx)
	vfmadd132ps	72(%rdx){1to16}, %zmm2, %zmm1
	jmp	.L2057
.L2085:
	movq	152(%rsp), %r13
	movq	%r10, %r15
	xorl	%r14d, %r14d
	kmovb	%r8d, %k0
.L1780:
	movq	%rdi, %rax
	movl	$32, %ecx
	vpbroadcastd	4(%rdx), %zmm23
	vpbroadcastd	12(%rdx), %zmm20
	subq	%r14, %rax
	vpbroadcastd	20(%rdx), %zmm18
	vpbroadcastd	28(%rdx), %zmm11
	leaq	-4096(%r13), %rsi
	cmpq	%rcx, %rax
	vpbroadcastd	36(%rdx), %zmm10
	vpbroadcastd	44(%rdx), %zmm9
	vmovdqa64	%zmm23, %zmm24
	cmovg	%rcx, %rax
	vpbroadcastd	52(%rdx), %zmm8
	vpbroadcastd	60(%rdx), %zmm7
	vmovdqa64	%zmm20, %zmm26
	vpbroadcastd	68(%rdx), %zmm6
	vmovdqa64	%zmm18, %zmm25
	movq	%r13, %rcx
	vpbroadcastd	76(%rdx), %zmm5
	salq	$7, %rax
	vpbroadcastd	84(%rdx), %zmm4
	vpbroadcastd	92(%rdx), %zmm3
	vmovdqa64	%zmm11, %zmm16
	leaq	(%rax,%r13), %r10
	vmovdqa64	%zmm10, %zmm22
	movq	%r15, %rax
	vmovdqa64	%zmm9, %zmm21
	vmovdqa64	%zmm8, %zmm19
	vmovdqa64	%zmm7, %zmm17
	vmovdqa64	%zmm6, %zmm15
	vmovdqa64	%zmm5, %zmm14
	vmovdqa64	%zmm4, %zmm13
	vmovdqa64	%zmm3, %zmm12
.L1776:
	prefetcht0	(%rcx)
	prefetcht0	64(%rcx)
	subq	$-128, %rcx
	vpbroadcastd	(%rax), %zmm27
	vmovups	(%rsi), %zmm1
	vmovups	64(%rsi), %zmm0
	addq	$48, %rax
	subq	$-128, %rsi
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm1, %zmm24
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm0, %zmm23
# 0 "" 2
#NO_APP
	vpbroadcastd	-44(%rax), %zmm27
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm1, %zmm26
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm0, %zmm20
# 0 "" 2
#NO_APP
	vpbroadcastd	-40(%rax), %zmm27
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm1, %zmm25
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm0, %zmm18
# 0 "" 2
#NO_APP
	vpbroadcastd	-36(%rax), %zmm27
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm1, %zmm16
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm0, %zmm11
# 0 "" 2
#NO_APP
	vpbroadcastd	-32(%rax), %zmm27
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm1, %zmm22
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm0, %zmm10
# 0 "" 2
#NO_APP
	vpbroadcastd	-28(%rax), %zmm27
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm1, %zmm21
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm0, %zmm9
# 0 "" 2
#NO_APP
	vpbroadcastd	-24(%rax), %zmm27
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm1, %zmm19
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm0, %zmm8
# 0 "" 2
#NO_APP
	vpbroadcastd	-20(%rax), %zmm27
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm1, %zmm17
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm0, %zmm7
# 0 "" 2
#NO_APP
	vpbroadcastd	-16(%rax), %zmm27
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm1, %zmm15
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm0, %zmm6
# 0 "" 2
#NO_APP
	vpbroadcastd	-12(%rax), %zmm27
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm1, %zmm14
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm0, %zmm5
# 0 "" 2
#NO_APP
	vpbroadcastd	-8(%rax), %zmm27
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm1, %zmm13
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm0, %zmm4
# 0 "" 2
#NO_APP
	vpbroadcastd	-4(%rax), %zmm27
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm1, %zmm12
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm27, %zmm0, %zmm3
# 0 "" 2
#NO_APP
	cmpq	%r10, %rcx
	jne	.L1776
	vmovss	(%rdx), %xmm0
	vcvtdq2ps	%zmm24, %zmm24
	kortestb	%k0, %k0
	vbroadcastss	%xmm0, %zmm0
	jne	.L1777
	vfmadd213ps	(%r11), %zmm0, %zmm24
	vmovups	64(%r11), %zmm0
	vcvtdq2ps	%zmm23, %zmm23
	vcvtdq2ps	%zmm26, %zmm1
	vcvtdq2ps	%zmm20, %zmm20
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm6, %zmm6
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm4, %zmm4
	vcvtdq2ps	%zmm3, %zmm3
	vmovups	%zmm24, (%r11)
	vfmadd132ps	(%rdx){1to16}, %zmm0, %zmm23
	vmovups	128(%r11), %zmm0
	vmovups	%zmm23, 64(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm0, %zmm1
	vmovups	192(%r11), %zmm0
	vmovups	%zmm1, 128(%r11)
	vmovups	256(%r11), %zmm1
	vfmadd132ps	8(%rdx){1to16}, %zmm0, %zmm20
	vcvtdq2ps	%zmm25, %zmm0
	vmovups	%zmm20, 192(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm1, %zmm0
	vcvtdq2ps	%zmm21, %zmm1
	vmovups	%zmm0, 256(%r11)
	vmovups	320(%r11), %zmm0
	vfmadd132ps	16(%rdx){1to16}, %zmm0, %zmm18
	vmovups	384(%r11), %zmm0
	vmovups	%zmm18, 320(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm0, %zmm16
	vmovups	448(%r11), %zmm0
	vmovups	%zmm16, 384(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm0, %zmm11
	vmovups	512(%r11), %zmm0
	vmovups	%zmm11, 448(%r11)
	vcvtdq2ps	%zmm22, %zmm11
	vfmadd132ps	32(%rdx){1to16}, %zmm0, %zmm11
	vmovups	576(%r11), %zmm0
	vmovups	%zmm11, 512(%r11)
	vfmadd132ps	32(%rdx){1to16}, %zmm0, %zmm10
	vmovups	640(%r11), %zmm0
	vmovups	%zmm10, 576(%r11)
	vfmadd132ps	40(%rdx){1to16}, %zmm0, %zmm1
	vmovups	%zmm1, 640(%r11)
	vmovups	704(%r11), %zmm0
	vmovups	768(%r11), %zmm1
	vfmadd132ps	40(%rdx){1to16}, %zmm0, %zmm9
	vcvtdq2ps	%zmm19, %zmm0
	vmovups	%zmm9, 704(%r11)
	vfmadd132ps	48(%rdx){1to16}, %zmm1, %zmm0
	vcvtdq2ps	%zmm13, %zmm1
	vmovups	%zmm0, 768(%r11)
	vmovups	832(%r11), %zmm0
	vfmadd132ps	48(%rdx){1to16}, %zmm0, %zmm8
	vmovups	896(%r11), %zmm0
	vmovups	%zmm8, 832(%r11)
	vcvtdq2ps	%zmm17, %zmm8
	vfmadd132ps	56(%rdx){1to16}, %zmm0, %zmm8
	vmovups	960(%r11), %zmm0
	vmovups	%zmm8, 896(%r11)
	vfmadd132ps	56(%rdx){1to16}, %zmm0, %zmm7
	vmovups	1024(%r11), %zmm0
	vmovups	%zmm7, 960(%r11)
	vcvtdq2ps	%zmm15, %zmm7
	vfmadd132ps	64(%rdx){1to16}, %zmm0, %zmm7
	vcvtdq2ps	%zmm12, %zmm0
	vmovups	%zmm7, 1024(%r11)
	vmovups	1088(%r11), %zmm7
	vfmadd132ps	64(%rdx){1to16}, %zmm7, %zmm6
	vmovups	1152(%r11), %zmm7
	vmovups	%zmm6, 1088(%r11)
	vcvtdq2ps	%zmm14, %zmm6
	vfmadd132ps	72(%rdx){1to16}, %zmm7, %zmm6
	vmovups	%zmm6, 1152(%r11)
	vmovups	1216(%r11), %zmm6
	vfmadd132ps	72(%rdx){1to16}, %zmm6, %zmm5
	vmovups	1280(%r11), %zmm6
	vmovups	%zmm5, 1216(%r11)
	vfmadd132ps	80(%rdx){1to16}, %zmm6, %zmm1
	vmovups	1344(%r11), %zmm6
	vmovups	%zmm1, 1280(%r11)
	vfmadd132ps	80(%rdx){1to16}, %zmm6, %zmm4
	vmovups	%zmm4, 1344(%r11)
	vmovups	1408(%r11), %zmm6
	vfmadd132ps	88(%rdx){1to16}, %zmm6, %zmm0
	vmovups	1472(%r11), %zmm6
	vmovups	%zmm0, 1408(%r11)
	vfmadd132ps	88(%rdx){1to16}, %zmm6, %zmm3
.L2040:
	addq	$32, %r14
	addq	$96, %rdx
	vmovups	%zmm3, 1472(%r11)
	addq	$4096, %r13
	addq	$1536, %r15
	cmpq	%r14, %rdi
	jle	.L1766
	kxorb	%k0, %k0, %k0
	jmp	.L1780
.L1777:
	vfmadd132ps	%zmm0, %zmm2, %zmm24
	vcvtdq2ps	%zmm23, %zmm23
	vcvtdq2ps	%zmm26, %zmm1
	vcvtdq2ps	%zmm20, %zmm20
	vcvtdq2ps	%zmm25, %zmm0
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm4, %zmm4
	vcvtdq2ps	%zmm3, %zmm3
	vmovups	%zmm24, (%r11)
	vfmadd132ps	(%rdx){1to16}, %zmm2, %zmm23
	vmovups	%zmm23, 64(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm1
	vmovups	%zmm1, 128(%r11)
	vcvtdq2ps	%zmm21, %zmm1
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm20
	vmovups	%zmm20, 192(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm0
	vmovups	%zmm0, 256(%r11)
	vcvtdq2ps	%zmm19, %zmm0
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm18
	vmovups	%zmm18, 320(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm16
	vmovups	%zmm16, 384(%r11)
	vcvtdq2ps	%zmm11, %zmm16
	vcvtdq2ps	%zmm22, %zmm11
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm16
	vmovups	%zmm16, 448(%r11)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm11
	vmovups	%zmm11, 512(%r11)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm10
	vmovups	%zmm10, 576(%r11)
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm1
	vmovups	%zmm1, 640(%r11)
	vcvtdq2ps	%zmm13, %zmm1
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm9
	vmovups	%zmm9, 704(%r11)
	vcvtdq2ps	%zmm8, %zmm9
	vcvtdq2ps	%zmm17, %zmm8
	vfmadd132ps	48(%rdx){1to16}, %zmm2, %zmm0
	vmovups	%zmm0, 768(%r11)
	vcvtdq2ps	%zmm12, %zmm0
	vfmadd132ps	48(%rdx){1to16}, %zmm2, %zmm9
	vmovups	%zmm9, 832(%r11)
	vfmadd132ps	56(%rdx){1to16}, %zmm2, %zmm8
	vmovups	%zmm8, 896(%r11)
	vcvtdq2ps	%zmm7, %zmm8
	vcvtdq2ps	%zmm15, %zmm7
	vfmadd132ps	56(%rdx){1to16}, %zmm2, %zmm8
	vmovups	%zmm8, 960(%r11)
	vfmadd132ps	64(%rdx){1to16}, %zmm2, %zmm7
	vmovups	%zmm7, 1024(%r11)
	vcvtdq2ps	%zmm6, %zmm7
	vfmadd132ps	64(%rdx){1to16}, %zmm2, %zmm7
	vcvtdq2ps	%zmm14, %zmm6
	vmovups	%zmm7, 1088(%r11)
	vfmadd132ps	72(%rdx){1to16}, %zmm2, %zmm6
	vmovups	%zmm6, 1152(%r11)
	vfmadd132ps	72(%rdx){1to16}, %zmm2, %zmm5
	vmovups	%zmm5, 1216(%r11)
	vfmadd132ps	80(%rdx){1to16}, %zmm2, %zmm1
	vmovups	%zmm1, 1280(%r11)
	vfmadd132ps	80(%rdx){1to16}, %zmm2, %zmm4
	vmovups	%zmm4, 1344(%r11)
	vfmadd132ps	88(%rdx){1to16}, %zmm2, %zmm0
	vmovups	%zmm0, 1408(%r11)
	vfmadd132ps	88(%rdx){1to16}, %zmm2, %zmm3
	jmp	.L2040
.L2084:
	movq	152(%rsp), %r13
	movq	%r10, %r15
	xorl	%r14d, %r14d
	kmovb	%r8d, %k0
.L1773:
	movq	%rdi, %rax
	movl	$32, %ecx
	vpbroadcastd	100(%rdx), %zmm1
	vpbroadcastd	4(%rdx), %zmm16
	subq	%r14, %rax
	vpbroadcastd	12(%rdx), %zmm15
	vpbroadcastd	20(%rdx), %zmm14
	leaq	-4096(%r13), %rsi
	cmpq	%rcx, %rax
	vpbroadcastd	28(%rdx), %zmm13
	vpbroadcastd	36(%rdx), %zmm12
	vmovdqa64	%zmm16, %zmm28
	cmovg	%rcx, %rax
	vpbroadcastd	44(%rdx), %zmm11
	vpbroadcastd	52(%rdx), %zmm10
	vmovdqa64	%zmm15, %zmm27
	vpbroadcastd	60(%rdx), %zmm9
	vpbroadcastd	68(%rdx), %zmm8
	vmovdqa64	%zmm14, %zmm26
	vmovdqa64	%zmm13, %zmm25
	vpbroadcastd	76(%rdx), %zmm7
	vpbroadcastd	84(%rdx), %zmm6
	salq	$7, %rax
	vmovdqa64	%zmm12, %zmm24
	vpbroadcastd	92(%rdx), %zmm5
	leaq	(%rax,%r13), %r10
	movq	%r13, %rcx
	vmovdqa64	%zmm11, %zmm23
	vmovdqa64	%zmm10, %zmm22
	vmovdqa64	%zmm9, %zmm21
	movq	%r15, %rax
	vmovdqa64	%zmm8, %zmm20
	vmovdqa64	%zmm7, %zmm19
	vmovdqa64	%zmm6, %zmm18
	vmovdqa64	%zmm5, %zmm17
	vmovdqa64	%zmm1, %zmm4
	vmovdqa64	%zmm1, %zmm3
.L1769:
	prefetcht0	(%rcx)
	prefetcht0	64(%rcx)
	subq	$-128, %rcx
	vpbroadcastd	(%rax), %zmm29
	vmovups	(%rsi), %zmm1
	vmovups	64(%rsi), %zmm0
	addq	$52, %rax
	subq	$-128, %rsi
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm1, %zmm28
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm0, %zmm16
# 0 "" 2
#NO_APP
	vpbroadcastd	-48(%rax), %zmm29
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm1, %zmm27
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm0, %zmm15
# 0 "" 2
#NO_APP
	vpbroadcastd	-44(%rax), %zmm29
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm1, %zmm26
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm0, %zmm14
# 0 "" 2
#NO_APP
	vpbroadcastd	-40(%rax), %zmm29
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm1, %zmm25
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm0, %zmm13
# 0 "" 2
#NO_APP
	vpbroadcastd	-36(%rax), %zmm29
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm1, %zmm24
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm0, %zmm12
# 0 "" 2
#NO_APP
	vpbroadcastd	-32(%rax), %zmm29
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm1, %zmm23
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm0, %zmm11
# 0 "" 2
#NO_APP
	vpbroadcastd	-28(%rax), %zmm29
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm1, %zmm22
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm0, %zmm10
# 0 "" 2
#NO_APP
	vpbroadcastd	-24(%rax), %zmm29
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm1, %zmm21
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm0, %zmm9
# 0 "" 2
#NO_APP
	vpbroadcastd	-20(%rax), %zmm29
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm1, %zmm20
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm0, %zmm8
# 0 "" 2
#NO_APP
	vpbroadcastd	-16(%rax), %zmm29
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm1, %zmm19
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm0, %zmm7
# 0 "" 2
#NO_APP
	vpbroadcastd	-12(%rax), %zmm29
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm1, %zmm18
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm0, %zmm6
# 0 "" 2
#NO_APP
	vpbroadcastd	-8(%rax), %zmm29
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm1, %zmm17
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm0, %zmm5
# 0 "" 2
#NO_APP
	vpbroadcastd	-4(%rax), %zmm29
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm1, %zmm4
# 0 "" 2
#NO_APP
	vmovdqa64	%zmm3, %zmm1
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm29, %zmm0, %zmm1
# 0 "" 2
#NO_APP
	vmovdqa64	%zmm1, %zmm3
	cmpq	%r10, %rcx
	jne	.L1769
	vmovss	(%rdx), %xmm0
	vcvtdq2ps	%zmm28, %zmm28
	kortestb	%k0, %k0
	vbroadcastss	%xmm0, %zmm0
	jne	.L1770
	vfmadd213ps	(%r11), %zmm0, %zmm28
	vmovups	64(%r11), %zmm0
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm27, %zmm27
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm26, %zmm26
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm25, %zmm25
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm24, %zmm24
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm23, %zmm23
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm22, %zmm22
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm21, %zmm21
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm20, %zmm20
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm19, %zmm19
	vmovups	%zmm28, (%r11)
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm6, %zmm6
	vfmadd132ps	(%rdx){1to16}, %zmm0, %zmm16
	vcvtdq2ps	%zmm17, %zmm17
	vmovups	128(%r11), %zmm0
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm4, %zmm4
	vcvtdq2ps	%zmm1, %zmm1
	vmovups	%zmm16, 64(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm0, %zmm27
	vmovups	192(%r11), %zmm0
	vmovups	%zmm27, 128(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm0, %zmm15
	vmovups	256(%r11), %zmm0
	vmovups	%zmm15, 192(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm0, %zmm26
	vmovups	320(%r11), %zmm0
	vmovups	%zmm26, 256(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm0, %zmm14
	vmovups	384(%r11), %zmm0
	vmovups	%zmm14, 320(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm0, %zmm25
	vmovups	448(%r11), %zmm0
	vmovups	%zmm25, 384(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm0, %zmm13
	vmovups	512(%r11), %zmm0
	vmovups	%zmm13, 448(%r11)
	vfmadd132ps	32(%rdx){1to16}, %zmm0, %zmm24
	vmovups	576(%r11), %zmm0
	vmovups	%zmm24, 512(%r11)
	vfmadd132ps	32(%rdx){1to16}, %zmm0, %zmm12
	vmovups	640(%r11), %zmm0
	vmovups	%zmm12, 576(%r11)
	vfmadd132ps	40(%rdx){1to16}, %zmm0, %zmm23
	vmovups	%zmm23, 640(%r11)
	vmovups	704(%r11), %zmm0
	vfmadd132ps	40(%rdx){1to16}, %zmm0, %zmm11
	vmovups	768(%r11), %zmm0
	vmovups	%zmm11, 704(%r11)
	vfmadd132ps	48(%rdx){1to16}, %zmm0, %zmm22
	vmovups	832(%r11), %zmm0
	vmovups	%zmm22, 768(%r11)
	vfmadd132ps	48(%rdx){1to16}, %zmm0, %zmm10
	vmovups	896(%r11), %zmm0
	vmovups	%zmm10, 832(%r11)
	vfmadd132ps	56(%rdx){1to16}, %zmm0, %zmm21
	vmovups	960(%r11), %zmm0
	vmovups	%zmm21, 896(%r11)
	vfmadd132ps	56(%rdx){1to16}, %zmm0, %zmm9
	vmovups	1024(%r11), %zmm0
	vmovups	%zmm9, 960(%r11)
	vfmadd132ps	64(%rdx){1to16}, %zmm0, %zmm20
	vmovups	1088(%r11), %zmm0
	vmovups	%zmm20, 1024(%r11)
	vfmadd132ps	64(%rdx){1to16}, %zmm0, %zmm8
	vmovups	1152(%r11), %zmm0
	vmovups	%zmm8, 1088(%r11)
	vfmadd132ps	72(%rdx){1to16}, %zmm0, %zmm19
	vmovups	1216(%r11), %zmm0
	vmovups	%zmm19, 1152(%r11)
	vfmadd132ps	72(%rdx){1to16}, %zmm0, %zmm7
	vmovups	%zmm7, 1216(%r11)
	vmovups	1280(%r11), %zmm7
	vfmadd132ps	80(%rdx){1to16}, %zmm7, %zmm18
	vmovups	1344(%r11), %zmm7
	vmovups	%zmm18, 1280(%r11)
	vfmadd132ps	80(%rdx){1to16}, %zmm7, %zmm6
	vmovups	%zmm6, 1344(%r11)
	vmovups	1408(%r11), %zmm6
	vmovups	1600(%r11), %zmm3
	vfmadd132ps	88(%rdx){1to16}, %zmm6, %zmm17
	vmovups	1472(%r11), %zmm6
	vmovups	%zmm17, 1408(%r11)
	vfmadd132ps	88(%rdx){1to16}, %zmm6, %zmm5
	vmovups	1536(%r11), %zmm6
	vmovups	%zmm5, 1472(%r11)
	vfmadd132ps	96(%rdx){1to16}, %zmm6, %zmm4
	vmovups	%zmm4, 1536(%r11)
	vfmadd132ps	96(%rdx){1to16}, %zmm3, %zmm1
.L2039:
	addq	$32, %r14
	addq	$104, %rdx
	vmovups	%zmm1, 1600(%r11)
	addq	$4096, %r13
	addq	$1664, %r15
	cmpq	%r14, %rdi
	jle	.L1766
	kxorb	%k0, %k0, %k0
	jmp	.L1773
.L1770:
	vfmadd132ps	%zmm0, %zmm2, %zmm28
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm27, %zmm27
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm26, %zmm26
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm25, %zmm25
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm24, %zmm24
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm23, %zmm23
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm22, %zmm22
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm21, %zmm21
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm20, %zmm20
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm19, %zmm19
	vcvtdq2ps	%zmm7, %zmm7
	vmovups	%zmm28, (%r11)
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm6, %zmm6
	vcvtdq2ps	%zmm17, %zmm17
	vfmadd132ps	(%rdx){1to16}, %zmm2, %zmm16
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm4, %zmm4
	vcvtdq2ps	%zmm1, %zmm1
	vmovups	%zmm16, 64(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm27
	vmovups	%zmm27, 128(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm15
	vmovups	%zmm15, 192(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm26
	vmovups	%zmm26, 256(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm14
	vmovups	%zmm14, 320(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm25
	vmovups	%zmm25, 384(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm13
	vmovups	%zmm13, 448(%r11)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm24
	vmovups	%zmm24, 512(%r11)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm12
	vmovups	%zmm12, 576(%r11)
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm23
	vmovups	%zmm23, 640(%r11)
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm11
	vmovups	%zmm11, 704(%r11)
	vfmadd132ps	48(%rdx){1to16}, %zmm2, %zmm22
	vmovups	%zmm22, 768(%r11)
	vfmadd132ps	48(%rdx){1to16}, %zmm2, %zmm10
	vmovups	%zmm10, 832(%r11)
	vfmadd132ps	56(%rdx){1to16}, %zmm2, %zmm21
	vmovups	%zmm21, 896(%r11)
	vfmadd132ps	56(%rdx){1to16}, %zmm2, %zmm9
	vmovups	%zmm9, 960(%r11)
	vfmadd132ps	64(%rdx){1to16}, %zmm2, %zmm20
	vmovups	%zmm20, 1024(%r11)
	vfmadd132ps	64(%rdx){1to16}, %zmm2, %zmm8
	vmovups	%zmm8, 1088(%r11)
	vfmadd132ps	72(%rdx){1to16}, %zmm2, %zmm19
	vmovups	%zmm19, 1152(%r11)
	vfmadd132ps	72(%rdx){1to16}, %zmm2, %zmm7
	vmovups	%zmm7, 1216(%r11)
	vfmadd132ps	80(%rdx){1to16}, %zmm2, %zmm18
	vmovups	%zmm18, 1280(%r11)
	vfmadd132ps	80(%rdx){1to16}, %zmm2, %zmm6
	vmovups	%zmm6, 1344(%r11)
	vfmadd132ps	88(%rdx){1to16}, %zmm2, %zmm17
	vmovups	%zmm17, 1408(%r11)
	vfmadd132ps	88(%rdx){1to16}, %zmm2, %zmm5
	vmovups	%zmm5, 1472(%r11)
	vfmadd132ps	96(%rdx){1to16}, %zmm2, %zmm4
	vmovups	%zmm4, 1536(%r11)
	vfmadd132ps	96(%rdx){1to16}, %zmm2, %zmm1
	jmp	.L2039
.L2083:
	movq	152(%rsp), %r13
	movq	%r10, %r15
	xorl	%r14d, %r14d
	kmovb	%r8d, %k0
.L1767:
	movq	%rdi, %rax
	movl	$32, %ecx
	vpbroadcastd	108(%rdx), %zmm1
	vpbroadcastd	4(%rdx), %zmm15
	subq	%r14, %rax
	vpbroadcastd	12(%rdx), %zmm14
	vpbroadcastd	20(%rdx), %zmm13
	leaq	-4096(%r13), %rsi
	cmpq	%rcx, %rax
	vpbroadcastd	28(%rdx), %zmm12
	vpbroadcastd	36(%rdx), %zmm11
	vmovdqa64	%zmm15, %zmm29
	cmovg	%rcx, %rax
	vpbroadcastd	44(%rdx), %zmm10
	vpbroadcastd	52(%rdx), %zmm9
	vmovdqa64	%zmm14, %zmm28
	vpbroadcastd	60(%rdx), %zmm8
	vpbroadcastd	68(%rdx), %zmm7
	vmovdqa64	%zmm13, %zmm27
	vmovdqa64	%zmm12, %zmm26
	vpbroadcastd	76(%rdx), %zmm6
	salq	$7, %rax
	movq	%r13, %rcx
	vpbroadcastd	84(%rdx), %zmm5
	leaq	(%rax,%r13), %r10
	vpbroadcastd	92(%rdx), %zmm4
	movq	%r15, %rax
	vpbroadcastd	100(%rdx), %zmm3
	vmovdqa64	%zmm11, %zmm25
	vmovdqa64	%zmm10, %zmm24
	vmovdqa64	%zmm9, %zmm23
	vmovdqa64	%zmm8, %zmm22
	vmovdqa64	%zmm7, %zmm21
	vmovdqa64	%zmm6, %zmm20
	vmovdqa64	%zmm5, %zmm19
	vmovdqa64	%zmm4, %zmm18
	vmovdqa64	%zmm3, %zmm17
	vmovdqa64	%zmm1, %zmm16
	vmovdqa64	%zmm1, %zmm31
.L1763:
	prefetcht0	(%rcx)
	prefetcht0	64(%rcx)
	subq	$-128, %rcx
	vpbroadcastd	(%rax), %zmm30
	vmovups	(%rsi), %zmm1
	vmovups	64(%rsi), %zmm0
	subq	$-128, %rsi
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm1, %zmm29
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm0, %zmm15
# 0 "" 2
#NO_APP
	vpbroadcastd	4(%rax), %zmm30
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm1, %zmm28
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm0, %zmm14
# 0 "" 2
#NO_APP
	vpbroadcastd	8(%rax), %zmm30
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm1, %zmm27
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm0, %zmm13
# 0 "" 2
#NO_APP
	vpbroadcastd	12(%rax), %zmm30
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm1, %zmm26
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm0, %zmm12
# 0 "" 2
#NO_APP
	vpbroadcastd	16(%rax), %zmm30
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm1, %zmm25
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm0, %zmm11
# 0 "" 2
#NO_APP
	vpbroadcastd	20(%rax), %zmm30
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm1, %zmm24
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm0, %zmm10
# 0 "" 2
#NO_APP
	vpbroadcastd	24(%rax), %zmm30
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm1, %zmm23
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm0, %zmm9
# 0 "" 2
#NO_APP
	vpbroadcastd	28(%rax), %zmm30
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm1, %zmm22
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm0, %zmm8
# 0 "" 2
#NO_APP
	vpbroadcastd	32(%rax), %zmm30
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm1, %zmm21
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm0, %zmm7
# 0 "" 2
#NO_APP
	vpbroadcastd	36(%rax), %zmm30
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm1, %zmm20
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm0, %zmm6
# 0 "" 2
#NO_APP
	vpbroadcastd	40(%rax), %zmm30
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm1, %zmm19
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm0, %zmm5
# 0 "" 2
#NO_APP
	vpbroadcastd	44(%rax), %zmm30
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm1, %zmm18
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm0, %zmm4
# 0 "" 2
#NO_APP
	vpbroadcastd	48(%rax), %zmm30
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm1, %zmm17
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm0, %zmm3
# 0 "" 2
#NO_APP
	vpbroadcastd	52(%rax), %zmm30
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm1, %zmm16
# 0 "" 2
#NO_APP
	vmovdqa64	%zmm31, %zmm1
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm30, %zmm0, %zmm1
# 0 "" 2
#NO_APP
	addq	$56, %rax
	vmovdqa64	%zmm1, %zmm31
	cmpq	%r10, %rcx
	jne	.L1763
	vmovss	(%rdx), %xmm0
	vcvtdq2ps	%zmm29, %zmm29
	kortestb	%k0, %k0
	vbroadcastss	%xmm0, %zmm0
	je	.L1764
	vfmadd132ps	%zmm0, %zmm2, %zmm29
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm28, %zmm28
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm27, %zmm27
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm26, %zmm26
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm25, %zmm25
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm24, %zmm24
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm23, %zmm23
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm22, %zmm22
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm21, %zmm21
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm20, %zmm20
	vcvtdq2ps	%zmm6, %zmm6
	vmovups	%zmm29, (%r11)
	vcvtdq2ps	%zmm19, %zmm19
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm18, %zmm18
	vfmadd132ps	(%rdx){1to16}, %zmm2, %zmm15
	vcvtdq2ps	%zmm4, %zmm4
	vcvtdq2ps	%zmm17, %zmm17
	vcvtdq2ps	%zmm3, %zmm3
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm1, %zmm1
	vmovups	%zmm15, 64(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm28
	vmovups	%zmm28, 128(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm14
	vmovups	%zmm14, 192(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm27
	vmovups	%zmm27, 256(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm13
	vmovups	%zmm13, 320(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm26
	vmovups	%zmm26, 384(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm12
	vmovups	%zmm12, 448(%r11)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm25
	vmovups	%zmm25, 512(%r11)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm11
	vmovups	%zmm11, 576(%r11)
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm24
	vmovups	%zmm24, 640(%r11)
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm10
	vmovups	%zmm10, 704(%r11)
	vfmadd132ps	48(%rdx){1to16}, %zmm2, %zmm23
	vmovups	%zmm23, 768(%r11)
	vfmadd132ps	48(%rdx){1to16}, %zmm2, %zmm9
	vmovups	%zmm9, 832(%r11)
	vfmadd132ps	56(%rdx){1to16}, %zmm2, %zmm22
	vmovups	%zmm22, 896(%r11)
	vfmadd132ps	56(%rdx){1to16}, %zmm2, %zmm8
	vmovups	%zmm8, 960(%r11)
	vfmadd132ps	64(%rdx){1to16}, %zmm2, %zmm21
	vmovups	%zmm21, 1024(%r11)
	vfmadd132ps	64(%rdx){1to16}, %zmm2, %zmm7
	vmovups	%zmm7, 1088(%r11)
	vfmadd132ps	72(%rdx){1to16}, %zmm2, %zmm20
	vmovups	%zmm20, 1152(%r11)
	vfmadd132ps	72(%rdx){1to16}, %zmm2, %zmm6
	vmovups	%zmm6, 1216(%r11)
	vfmadd132ps	80(%rdx){1to16}, %zmm2, %zmm19
	vmovups	%zmm19, 1280(%r11)
	vfmadd132ps	80(%rdx){1to16}, %zmm2, %zmm5
	vmovups	%zmm5, 1344(%r11)
	vfmadd132ps	88(%rdx){1to16}, %zmm2, %zmm18
	vmovups	%zmm18, 1408(%r11)
	vfmadd132ps	88(%rdx){1to16}, %zmm2, %zmm4
	vmovups	%zmm4, 1472(%r11)
	vfmadd132ps	96(%rdx){1to16}, %zmm2, %zmm17
	vmovups	%zmm17, 1536(%r11)
	vfmadd132ps	96(%rdx){1to16}, %zmm2, %zmm3
	vmovups	%zmm3, 1600(%r11)
	vfmadd132ps	104(%rdx){1to16}, %zmm2, %zmm16
	vmovups	%zmm16, 1664(%r11)
	vfmadd132ps	104(%rdx){1to16}, %zmm2, %zmm1
.L2038:
	addq	$32, %r14
	addq	$112, %rdx
	vmovups	%zmm1, 1728(%r11)
	addq	$4096, %r13
	addq	$1792, %r15
	cmpq	%r14, %rdi
	jle	.L1766
	kxorb	%k0, %k0, %k0
	jmp	.L1767
.L1764:
	vfmadd213ps	(%r11), %zmm0, %zmm29
	vmovups	64(%r11), %zmm0
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm28, %zmm28
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm27, %zmm27
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm26, %zmm26
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm25, %zmm25
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm24, %zmm24
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm23, %zmm23
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm22, %zmm22
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm21, %zmm21
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm20, %zmm20
	vmovups	%zmm29, (%r11)
	vcvtdq2ps	%zmm6, %zmm6
	vcvtdq2ps	%zmm19, %zmm19
	vcvtdq2ps	%zmm5, %zmm5
	vfmadd132ps	(%rdx){1to16}, %zmm0, %zmm15
	vcvtdq2ps	%zmm18, %zmm18
	vmovups	128(%r11), %zmm0
	vcvtdq2ps	%zmm4, %zmm4
	vcvtdq2ps	%zmm17, %zmm17
	vcvtdq2ps	%zmm3, %zmm3
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm1, %zmm1
	vmovups	%zmm15, 64(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm0, %zmm28
	vmovups	192(%r11), %zmm0
	vmovups	%zmm28, 128(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm0, %zmm14
	vmovups	256(%r11), %zmm0
	vmovups	%zmm14, 192(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm0, %zmm27
	vmovups	320(%r11), %zmm0
	vmovups	%zmm27, 256(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm0, %zmm13
	vmovups	384(%r11), %zmm0
	vmovups	%zmm13, 320(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm0, %zmm26
	vmovups	448(%r11), %zmm0
	vmovups	%zmm26, 384(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm0, %zmm12
	vmovups	512(%r11), %zmm0
	vmovups	%zmm12, 448(%r11)
	vfmadd132ps	32(%rdx){1to16}, %zmm0, %zmm25
	vmovups	576(%r11), %zmm0
	vmovups	%zmm25, 512(%r11)
	vfmadd132ps	32(%rdx){1to16}, %zmm0, %zmm11
	vmovups	640(%r11), %zmm0
	vmovups	%zmm11, 576(%r11)
	vfmadd132ps	40(%rdx){1to16}, %zmm0, %zmm24
	vmovups	%zmm24, 640(%r11)
	vmovups	704(%r11), %zmm0
	vfmadd132ps	40(%rdx){1to16}, %zmm0, %zmm10
	vmovups	768(%r11), %zmm0
	vmovups	%zmm10, 704(%r11)
	vfmadd132ps	48(%rdx){1to16}, %zmm0, %zmm23
	vmovups	832(%r11), %zmm0
	vmovups	%zmm23, 768(%r11)
	vfmadd132ps	48(%rdx){1to16}, %zmm0, %zmm9
	vmovups	896(%r11), %zmm0
	vmovups	%zmm9, 832(%r11)
	vfmadd132ps	56(%rdx){1to16}, %zmm0, %zmm22
	vmovups	960(%r11), %zmm0
	vmovups	%zmm22, 896(%r11)
	vfmadd132ps	56(%rdx){1to16}, %zmm0, %zmm8
	vmovups	1024(%r11), %zmm0
	vmovups	%zmm8, 960(%r11)
	vfmadd132ps	64(%rdx){1to16}, %zmm0, %zmm21
	vmovups	1088(%r11), %zmm0
	vmovups	%zmm21, 1024(%r11)
	vfmadd132ps	64(%rdx){1to16}, %zmm0, %zmm7
	vmovups	%zmm7, 1088(%r11)
	vmovups	1152(%r11), %zmm7
	vfmadd132ps	72(%rdx){1to16}, %zmm7, %zmm20
	vmovups	1216(%r11), %zmm7
	vmovups	%zmm20, 1152(%r11)
	vfmadd132ps	72(%rdx){1to16}, %zmm7, %zmm6
	vmovups	%zmm6, 1216(%r11)
	vmovups	1280(%r11), %zmm6
	vfmadd132ps	80(%rdx){1to16}, %zmm6, %zmm19
	vmovups	1344(%r11), %zmm6
	vmovups	%zmm19, 1280(%r11)
	vfmadd132ps	80(%rdx){1to16}, %zmm6, %zmm5
	vmovups	%zmm5, 1344(%r11)
	vmovups	1408(%r11), %zmm6
	vfmadd132ps	88(%rdx){1to16}, %zmm6, %zmm18
	vmovups	1472(%r11), %zmm6
	vmovups	%zmm18, 1408(%r11)
	vfmadd132ps	88(%rdx){1to16}, %zmm6, %zmm4
	vmovups	1536(%r11), %zmm6
	vmovups	%zmm4, 1472(%r11)
	vfmadd132ps	96(%rdx){1to16}, %zmm6, %zmm17
	vmovups	1600(%r11), %zmm6
	vmovups	%zmm17, 1536(%r11)
	vfmadd132ps	96(%rdx){1to16}, %zmm6, %zmm3
	vmovups	%zmm3, 1600(%r11)
	vmovups	1664(%r11), %zmm3
	vfmadd132ps	104(%rdx){1to16}, %zmm3, %zmm16
	vmovups	1728(%r11), %zmm3
	vmovups	%zmm16, 1664(%r11)
	vfmadd132ps	104(%rdx){1to16}, %zmm3, %zmm1
	jmp	.L2038
.L2077:
	movq	%rax, 112(%rsp)
	kmovb	%r8d, %k0
	movq	%r9, %r15
	xorl	%r13d, %r13d
	movq	%r11, 104(%rsp)
	movl	%r8d, %r11d
	movq	%rdi, %r8
.L1906:
	movq	%r8, %rax
	movl	$32, %esi
	vpbroadcastd	4(%rdx), %zmm9
	vpbroadcastd	12(%rdx), %zmm7
	subq	%r13, %rax
	vpbroadcastd	20(%rdx), %zmm5
	vpbroadcastd	28(%rdx), %zmm3
	cmpq	%rsi, %rax
	vpbroadcastd	36(%rdx), %zmm11
	movq	112(%rsp), %r14
	vmovdqa64	%zmm9, %zmm10
	cmovg	%rsi, %rax
	vmovdqa64	%zmm7, %zmm8
	vmovdqa64	%zmm5, %zmm6
	movq	%r15, %rsi
	vmovdqa64	%zmm3, %zmm4
	vmovdqa64	%zmm11, %zmm12
	salq	$7, %rax
	leaq	(%rax,%r15), %rdi
	movq	%r10, %rax
.L1902:
	vmovups	(%rsi), %zmm1
	subq	$-128, %rsi
	vpbroadcastd	(%rax), %zmm13
	prefetcht1	(%r14)
	vmovups	-64(%rsi), %zmm0
	addq	$64, %r14
	addq	$20, %rax
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm13, %zmm1, %zmm10
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm13, %zmm0, %zmm9
# 0 "" 2
#NO_APP
	vpbroadcastd	-16(%rax), %zmm13
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm13, %zmm1, %zmm8
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm13, %zmm0, %zmm7
# 0 "" 2
#NO_APP
	vpbroadcastd	-12(%rax), %zmm13
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm13, %zmm1, %zmm6
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm13, %zmm0, %zmm5
# 0 "" 2
#NO_APP
	vpbroadcastd	-8(%rax), %zmm13
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm13, %zmm1, %zmm4
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm13, %zmm0, %zmm3
# 0 "" 2
#NO_APP
	vpbroadcastd	-4(%rax), %zmm13
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm13, %zmm1, %zmm12
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm13, %zmm0, %zmm11
# 0 "" 2
#NO_APP
	cmpq	%rdi, %rsi
	jne	.L1902
	vmovss	(%rdx), %xmm0
	vcvtdq2ps	%zmm10, %zmm10
	kortestb	%k0, %k0
	vbroadcastss	%xmm0, %zmm0
	jne	.L1903
	vfmadd213ps	(%rcx), %zmm0, %zmm10
	vmovups	64(%rcx), %zmm1
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm8, %zmm8
	vmovups	128(%rcx), %zmm0
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm6, %zmm6
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm4, %zmm4
	vcvtdq2ps	%zmm3, %zmm3
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm11, %zmm11
	vmovups	%zmm10, (%rcx)
	vfmadd132ps	(%rdx){1to16}, %zmm1, %zmm9
	vmovups	192(%rcx), %zmm1
	vmovups	%zmm9, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm0, %zmm8
	vmovups	%zmm8, 128(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm1, %zmm7
	vmovups	%zmm7, 192(%rcx)
	vmovups	256(%rcx), %zmm7
	vfmadd132ps	16(%rdx){1to16}, %zmm7, %zmm6
	vmovups	%zmm6, 256(%rcx)
	vmovups	320(%rcx), %zmm6
	vfmadd132ps	16(%rdx){1to16}, %zmm6, %zmm5
	vmovups	%zmm5, 320(%rcx)
	vmovups	384(%rcx), %zmm5
	vfmadd132ps	24(%rdx){1to16}, %zmm5, %zmm4
	vmovups	%zmm4, 384(%rcx)
	vmovups	448(%rcx), %zmm4
	vfmadd132ps	24(%rdx){1to16}, %zmm4, %zmm3
	vmovups	%zmm3, 448(%rcx)
	vmovups	512(%rcx), %zmm3
	vfmadd132ps	32(%rdx){1to16}, %zmm3, %zmm12
	vmovups	576(%rcx), %zmm3
	vmovups	%zmm12, 512(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm3, %zmm11
	vmovups	%zmm11, 576(%rcx)
.L2062:
	addq	$32, %r13
	addq	$40, %rdx
	addq	$2048, 112(%rsp)
	addq	$4096, %r15
	addq	$640, %r10
	cmpq	%r13, %r8
	jle	.L2031
	kxorb	%k0, %k0, %k0
	jmp	.L1906
.L1903:
	vfmadd132ps	%zmm0, %zmm2, %zmm10
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm6, %zmm6
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm4, %zmm4
	vcvtdq2ps	%zmm3, %zmm3
	vcvtdq2ps	%zmm12, %zmm1
	vcvtdq2ps	%zmm11, %zmm0
	vmovups	%zmm10, (%rcx)
	vfmadd132ps	(%rdx){1to16}, %zmm2, %zmm9
	vmovups	%zmm9, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm8
	vmovups	%zmm8, 128(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm7
	vmovups	%zmm7, 192(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm6
	vmovups	%zmm6, 256(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm5
	vmovups	%zmm5, 320(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm4
	vmovups	%zmm4, 384(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm3
	vmovups	%zmm3, 448(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm1
	vmovups	%zmm1, 512(%rcx)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm0
	vmovups	%zmm0, 576(%rcx)
	jmp	.L2062
.L2086:
	movq	152(%rsp), %r13
	movq	%r10, %r15
	xorl	%r14d, %r14d
	kmovb	%r8d, %k0
.L1786:
	movq	%rdi, %rax
	movl	$32, %ecx
	vpbroadcastd	28(%rdx), %zmm1
	vpbroadcastd	4(%rdx), %zmm21
	subq	%r14, %rax
	vpbroadcastd	12(%rdx), %zmm17
	vpbroadcastd	20(%rdx), %zmm14
	leaq	-4096(%r13), %rsi
	cmpq	%rcx, %rax
	vpbroadcastd	36(%rdx), %zmm9
	vpbroadcastd	44(%rdx), %zmm8
	vmovdqa64	%zmm21, %zmm24
	cmovg	%rcx, %rax
	vpbroadcastd	52(%rdx), %zmm7
	vpbroadcastd	60(%rdx), %zmm6
	vmovdqa64	%zmm17, %zmm20
	vpbroadcastd	68(%rdx), %zmm5
	vpbroadcastd	76(%rdx), %zmm4
	movq	%r13, %rcx
	vmovdqa64	%zmm14, %zmm16
	salq	$7, %rax
	vpbroadcastd	84(%rdx), %zmm3
	vmovdqa64	%zmm1, %zmm10
	vmovdqa64	%zmm9, %zmm22
	leaq	(%rax,%r13), %r10
	vmovdqa64	%zmm8, %zmm19
	movq	%r15, %rax
	vmovdqa64	%zmm7, %zmm18
	vmovdqa64	%zmm6, %zmm15
	vmovdqa64	%zmm5, %zmm13
	vmovdqa64	%zmm4, %zmm12
	vmovdqa64	%zmm3, %zmm11
	vmovdqa64	%zmm1, %zmm23
.L1782:
	prefetcht0	(%rcx)
	prefetcht0	64(%rcx)
	subq	$-128, %rcx
	vpbroadcastd	(%rax), %zmm25
	vmovups	(%rsi), %zmm1
	vmovups	64(%rsi), %zmm0
	addq	$44, %rax
	subq	$-128, %rsi
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm1, %zmm24
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm0, %zmm21
# 0 "" 2
#NO_APP
	vpbroadcastd	-40(%rax), %zmm25
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm1, %zmm20
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm0, %zmm17
# 0 "" 2
#NO_APP
	vpbroadcastd	-36(%rax), %zmm25
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm1, %zmm16
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm0, %zmm14
# 0 "" 2
#NO_APP
	vpbroadcastd	-32(%rax), %zmm25
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm1, %zmm10
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm0, %zmm23
# 0 "" 2
#NO_APP
	vpbroadcastd	-28(%rax), %zmm25
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm1, %zmm22
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm0, %zmm9
# 0 "" 2
#NO_APP
	vpbroadcastd	-24(%rax), %zmm25
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm1, %zmm19
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm0, %zmm8
# 0 "" 2
#NO_APP
	vpbroadcastd	-20(%rax), %zmm25
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm1, %zmm18
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm0, %zmm7
# 0 "" 2
#NO_APP
	vpbroadcastd	-16(%rax), %zmm25
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm1, %zmm15
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm0, %zmm6
# 0 "" 2
#NO_APP
	vpbroadcastd	-12(%rax), %zmm25
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm1, %zmm13
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm0, %zmm5
# 0 "" 2
#NO_APP
	vpbroadcastd	-8(%rax), %zmm25
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm1, %zmm12
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm0, %zmm4
# 0 "" 2
#NO_APP
	vpbroadcastd	-4(%rax), %zmm25
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm1, %zmm11
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm25, %zmm0, %zmm3
# 0 "" 2
#NO_APP
	cmpq	%r10, %rcx
	jne	.L1782
	vmovss	(%rdx), %xmm1
	vcvtdq2ps	%zmm24, %zmm0
	kortestb	%k0, %k0
	vbroadcastss	%xmm1, %zmm1
	jne	.L1783
	vfmadd213ps	(%r11), %zmm1, %zmm0
	vcvtdq2ps	%zmm21, %zmm21
	vcvtdq2ps	%zmm20, %zmm20
	vcvtdq2ps	%zmm17, %zmm17
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm23, %zmm1
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm6, %zmm6
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm4, %zmm4
	vcvtdq2ps	%zmm3, %zmm3
	vmovups	%zmm0, (%r11)
	vmovups	64(%r11), %zmm0
	vfmadd132ps	(%rdx){1to16}, %zmm0, %zmm21
	vmovups	128(%r11), %zmm0
	vmovups	%zmm21, 64(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm0, %zmm20
	vmovups	192(%r11), %zmm0
	vmovups	%zmm20, 128(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm0, %zmm17
	vmovups	256(%r11), %zmm0
	vmovups	%zmm17, 192(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm0, %zmm16
	vmovups	320(%r11), %zmm0
	vmovups	%zmm16, 256(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm0, %zmm14
	vmovups	384(%r11), %zmm0
	vmovups	%zmm14, 320(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm0, %zmm10
	vmovups	448(%r11), %zmm0
	vmovups	%zmm10, 384(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm0, %zmm1
	vcvtdq2ps	%zmm22, %zmm0
	vmovups	%zmm1, 448(%r11)
	vmovups	512(%r11), %zmm1
	vfmadd132ps	32(%rdx){1to16}, %zmm1, %zmm0
	vcvtdq2ps	%zmm12, %zmm1
	vmovups	%zmm0, 512(%r11)
	vmovups	576(%r11), %zmm0
	vfmadd132ps	32(%rdx){1to16}, %zmm0, %zmm9
	vmovups	640(%r11), %zmm0
	vmovups	%zmm9, 576(%r11)
	vcvtdq2ps	%zmm19, %zmm9
	vfmadd132ps	40(%rdx){1to16}, %zmm0, %zmm9
	vmovups	%zmm9, 640(%r11)
	vmovups	704(%r11), %zmm0
	vfmadd132ps	40(%rdx){1to16}, %zmm0, %zmm8
	vmovups	768(%r11), %zmm0
	vmovups	%zmm8, 704(%r11)
	vcvtdq2ps	%zmm18, %zmm8
	vfmadd132ps	48(%rdx){1to16}, %zmm0, %zmm8
	vmovups	832(%r11), %zmm0
	vmovups	%zmm8, 768(%r11)
	vfmadd132ps	48(%rdx){1to16}, %zmm0, %zmm7
	vmovups	896(%r11), %zmm0
	vmovups	%zmm7, 832(%r11)
	vcvtdq2ps	%zmm15, %zmm7
	vfmadd132ps	56(%rdx){1to16}, %zmm0, %zmm7
	vcvtdq2ps	%zmm11, %zmm0
	vmovups	%zmm7, 896(%r11)
	vmovups	960(%r11), %zmm7
	vfmadd132ps	56(%rdx){1to16}, %zmm7, %zmm6
	vmovups	1024(%r11), %zmm7
	vmovups	%zmm6, 960(%r11)
	vcvtdq2ps	%zmm13, %zmm6
	vfmadd132ps	64(%rdx){1to16}, %zmm7, %zmm6
	vmovups	%zmm6, 1024(%r11)
	vmovups	1088(%r11), %zmm6
	vfmadd132ps	64(%rdx){1to16}, %zmm6, %zmm5
	vmovups	1152(%r11), %zmm6
	vmovups	%zmm5, 1088(%r11)
	vfmadd132ps	72(%rdx){1to16}, %zmm6, %zmm1
	vmovups	1216(%r11), %zmm6
	vmovups	%zmm1, 1152(%r11)
	vfmadd132ps	72(%rdx){1to16}, %zmm6, %zmm4
	vmovups	%zmm4, 1216(%r11)
	vmovups	1280(%r11), %zmm4
	vfmadd132ps	80(%rdx){1to16}, %zmm4, %zmm0
	vmovups	1344(%r11), %zmm4
	vmovups	%zmm0, 1280(%r11)
	vfmadd132ps	80(%rdx){1to16}, %zmm4, %zmm3
.L2041:
	addq	$32, %r14
	addq	$88, %rdx
	vmovups	%zmm3, 1344(%r11)
	addq	$4096, %r13
	addq	$1408, %r15
	cmpq	%r14, %rdi
	jle	.L1766
	kxorb	%k0, %k0, %k0
	jmp	.L1786
.L1783:
	vfmadd132ps	%zmm1, %zmm2, %zmm0
	vcvtdq2ps	%zmm21, %zmm21
	vcvtdq2ps	%zmm20, %zmm20
	vcvtdq2ps	%zmm17, %zmm17
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm23, %zmm1
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm4, %zmm4
	vcvtdq2ps	%zmm3, %zmm3
	vmovups	%zmm0, (%r11)
	vcvtdq2ps	%zmm22, %zmm0
	vfmadd132ps	(%rdx){1to16}, %zmm2, %zmm21
	vmovups	%zmm21, 64(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm20
	vmovups	%zmm20, 128(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm17
	vmovups	%zmm17, 192(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm16
	vmovups	%zmm16, 256(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm14
	vmovups	%zmm14, 320(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm10
	vmovups	%zmm10, 384(%r11)
	vcvtdq2ps	%zmm9, %zmm10
	vcvtdq2ps	%zmm19, %zmm9
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm1
	vmovups	%zmm1, 448(%r11)
	vcvtdq2ps	%zmm12, %zmm1
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm0
	vmovups	%zmm0, 512(%r11)
	vcvtdq2ps	%zmm11, %zmm0
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm10
	vmovups	%zmm10, 576(%r11)
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm9
	vmovups	%zmm9, 640(%r11)
	vcvtdq2ps	%zmm8, %zmm9
	vcvtdq2ps	%zmm18, %zmm8
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm9
	vmovups	%zmm9, 704(%r11)
	vfmadd132ps	48(%rdx){1to16}, %zmm2, %zmm8
	vmovups	%zmm8, 768(%r11)
	vcvtdq2ps	%zmm7, %zmm8
	vcvtdq2ps	%zmm15, %zmm7
	vfmadd132ps	48(%rdx){1to16}, %zmm2, %zmm8
	vmovups	%zmm8, 832(%r11)
	vfmadd132ps	56(%rdx){1to16}, %zmm2, %zmm7
	vmovups	%zmm7, 896(%r11)
	vcvtdq2ps	%zmm6, %zmm7
	vcvtdq2ps	%zmm13, %zmm6
	vfmadd132ps	56(%rdx){1to16}, %zmm2, %zmm7
	vmovups	%zmm7, 960(%r11)
	vfmadd132ps	64(%rdx){1to16}, %zmm2, %zmm6
	vmovups	%zmm6, 1024(%r11)
	vfmadd132ps	64(%rdx){1to16}, %zmm2, %zmm5
	vmovups	%zmm5, 1088(%r11)
	vfmadd132ps	72(%rdx){1to16}, %zmm2, %zmm1
	vmovups	%zmm1, 1152(%r11)
	vfmadd132ps	72(%rdx){1to16}, %zmm2, %zmm4
	vmovups	%zmm4, 1216(%r11)
	vfmadd132ps	80(%rdx){1to16}, %zmm2, %zmm0
	vmovups	%zmm0, 1280(%r11)
	vfmadd132ps	80(%rdx){1to16}, %zmm2, %zmm3
	jmp	.L2041
.L2094:
	movq	152(%rsp), %rsi
	movq	%r10, %r15
	xorl	%ecx, %ecx
	kmovb	%r8d, %k0
.L1834:
	movq	%rdi, %rax
	movl	$32, %r10d
	vpbroadcastd	20(%rdx), %zmm0
	vpbroadcastd	12(%rdx), %zmm5
	subq	%rcx, %rax
	vpbroadcastd	4(%rdx), %zmm1
	leaq	-4096(%rsi), %r14
	movq	%r15, %r13
	cmpq	%r10, %rax
	vmovdqa64	%zmm0, %zmm8
	vmovdqa64	%zmm0, %zmm7
	cmovg	%r10, %rax
	vmovdqa64	%zmm1, %zmm4
	vmovdqa64	%zmm5, %zmm3
	movq	%rsi, %r10
	vmovdqa64	%zmm5, %zmm0
	salq	$7, %rax
	addq	%rsi, %rax
.L1830:
	prefetcht0	(%r10)
	prefetcht0	64(%r10)
	subq	$-128, %r10
	vpbroadcastd	0(%r13), %zmm9
	vmovups	(%r14), %zmm6
	vmovups	64(%r14), %zmm5
	addq	$12, %r13
	subq	$-128, %r14
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm9, %zmm6, %zmm4
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm9, %zmm5, %zmm1
# 0 "" 2
#NO_APP
	vpbroadcastd	-8(%r13), %zmm9
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm9, %zmm6, %zmm3
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm9, %zmm5, %zmm0
# 0 "" 2
#NO_APP
	vpbroadcastd	-4(%r13), %zmm9
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm9, %zmm6, %zmm8
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm9, %zmm5, %zmm7
# 0 "" 2
#NO_APP
	cmpq	%r10, %rax
	jne	.L1830
	vmovss	(%rdx), %xmm5
	vcvtdq2ps	%zmm4, %zmm4
	kortestb	%k0, %k0
	vbroadcastss	%xmm5, %zmm5
	jne	.L1831
	vfmadd213ps	(%r11), %zmm5, %zmm4
	vcvtdq2ps	%zmm1, %zmm1
	vcvtdq2ps	%zmm3, %zmm3
	vmovups	%zmm4, (%r11)
	vmovups	64(%r11), %zmm4
	vfmadd132ps	(%rdx){1to16}, %zmm4, %zmm1
	vmovups	128(%r11), %zmm4
	vmovups	%zmm1, 64(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm4, %zmm3
	vmovups	192(%r11), %zmm4
	vmovups	%zmm3, 128(%r11)
	vcvtdq2ps	%zmm0, %zmm3
	vcvtdq2ps	%zmm8, %zmm0
	vfmadd132ps	8(%rdx){1to16}, %zmm4, %zmm3
	vmovups	%zmm3, 192(%r11)
	vmovups	256(%r11), %zmm3
	vfmadd132ps	16(%rdx){1to16}, %zmm3, %zmm0
	vmovups	320(%r11), %zmm3
	vmovups	%zmm0, 256(%r11)
	vcvtdq2ps	%zmm7, %zmm0
	vfmadd132ps	16(%rdx){1to16}, %zmm3, %zmm0
.L2048:
	addq	$32, %rcx
	addq	$24, %rdx
	vmovups	%zmm0, 320(%r11)
	addq	$4096, %rsi
	addq	$384, %r15
	cmpq	%rcx, %rdi
	jle	.L1766
	kxorb	%k0, %k0, %k0
	jmp	.L1834
.L2093:
	movq	152(%rsp), %rsi
	movq	%r10, %r15
	xorl	%ecx, %ecx
	kmovb	%r8d, %k0
.L1828:
	movq	%rdi, %rax
	movl	$32, %r10d
	vpbroadcastd	4(%rdx), %zmm0
	vpbroadcastd	12(%rdx), %zmm5
	subq	%rcx, %rax
	vpbroadcastd	20(%rdx), %zmm3
	movq	%rsi, %r13
	vpbroadcastd	28(%rdx), %zmm9
	cmpq	%r10, %rax
	vmovdqa64	%zmm0, %zmm1
	vmovdqa64	%zmm5, %zmm6
	cmovg	%r10, %rax
	vmovdqa64	%zmm3, %zmm4
	vmovdqa64	%zmm9, %zmm10
	leaq	-4096(%rsi), %r14
	salq	$7, %rax
	leaq	(%rax,%rsi), %r10
	movq	%r15, %rax
.L1824:
	prefetcht0	0(%r13)
	prefetcht0	64(%r13)
	subq	$-128, %r13
	vpbroadcastd	(%rax), %zmm11
	vmovups	(%r14), %zmm8
	vmovups	64(%r14), %zmm7
	addq	$16, %rax
	subq	$-128, %r14
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm11, %zmm8, %zmm1
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm11, %zmm7, %zmm0
# 0 "" 2
#NO_APP
	vpbroadcastd	-12(%rax), %zmm11
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm11, %zmm8, %zmm6
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm11, %zmm7, %zmm5
# 0 "" 2
#NO_APP
	vpbroadcastd	-8(%rax), %zmm11
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm11, %zmm8, %zmm4
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm11, %zmm7, %zmm3
# 0 "" 2
#NO_APP
	vpbroadcastd	-4(%rax), %zmm11
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm11, %zmm8, %zmm10
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm11, %zmm7, %zmm9
# 0 "" 2
#NO_APP
	cmpq	%r10, %r13
	jne	.L1824
	vmovss	(%rdx), %xmm7
	vcvtdq2ps	%zmm1, %zmm1
	kortestb	%k0, %k0
	vbroadcastss	%xmm7, %zmm7
	jne	.L1825
	vfmadd213ps	(%r11), %zmm7, %zmm1
	vmovups	64(%r11), %zmm7
	vcvtdq2ps	%zmm0, %zmm0
	vcvtdq2ps	%zmm6, %zmm6
	vcvtdq2ps	%zmm3, %zmm3
	vmovups	%zmm1, (%r11)
	vcvtdq2ps	%zmm5, %zmm1
	vfmadd132ps	(%rdx){1to16}, %zmm7, %zmm0
	vmovups	128(%r11), %zmm7
	vmovups	%zmm0, 64(%r11)
	vcvtdq2ps	%zmm4, %zmm0
	vmovups	256(%r11), %zmm4
	vfmadd132ps	8(%rdx){1to16}, %zmm7, %zmm6
	vmovups	%zmm6, 128(%r11)
	vmovups	192(%r11), %zmm6
	vfmadd132ps	8(%rdx){1to16}, %zmm6, %zmm1
	vmovups	%zmm1, 192(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm4, %zmm0
	vmovups	320(%r11), %zmm4
	vmovups	%zmm0, 256(%r11)
	vcvtdq2ps	%zmm10, %zmm0
	vfmadd132ps	16(%rdx){1to16}, %zmm4, %zmm3
	vmovups	%zmm3, 320(%r11)
	vmovups	384(%r11), %zmm3
	vfmadd132ps	24(%rdx){1to16}, %zmm3, %zmm0
	vmovups	448(%r11), %zmm3
	vmovups	%zmm0, 384(%r11)
	vcvtdq2ps	%zmm9, %zmm0
	vfmadd132ps	24(%rdx){1to16}, %zmm3, %zmm0
.L2047:
	addq	$32, %rcx
	addq	$32, %rdx
	vmovups	%zmm0, 448(%r11)
	addq	$4096, %rsi
	addq	$512, %r15
	cmpq	%rcx, %rdi
	jle	.L1766
	kxorb	%k0, %k0, %k0
	jmp	.L1828
.L1831:
	vfmadd132ps	%zmm5, %zmm2, %zmm4
	vcvtdq2ps	%zmm1, %zmm1
	vcvtdq2ps	%zmm3, %zmm3
	vmovups	%zmm4, (%r11)
	vfmadd132ps	(%rdx){1to16}, %zmm2, %zmm1
	vmovups	%zmm1, 64(%r11)
	vcvtdq2ps	%zmm8, %zmm1
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm3
	vmovups	%zmm3, 128(%r11)
	vcvtdq2ps	%zmm0, %zmm3
	vcvtdq2ps	%zmm7, %zmm0
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm3
	vmovups	%zmm3, 192(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm1
	vmovups	%zmm1, 256(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm0
	jmp	.L2048
.L1825:
	vfmadd132ps	%zmm7, %zmm2, %zmm1
	vcvtdq2ps	%zmm0, %zmm0
	vcvtdq2ps	%zmm6, %zmm6
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm4, %zmm4
	vcvtdq2ps	%zmm3, %zmm3
	vmovups	%zmm1, (%r11)
	vcvtdq2ps	%zmm10, %zmm1
	vfmadd132ps	(%rdx){1to16}, %zmm2, %zmm0
	vmovups	%zmm0, 64(%r11)
	vcvtdq2ps	%zmm9, %zmm0
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm6
	vmovups	%zmm6, 128(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm5
	vmovups	%zmm5, 192(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm4
	vmovups	%zmm4, 256(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm3
	vmovups	%zmm3, 320(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm1
	vmovups	%zmm1, 384(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm0
	jmp	.L2047
.L2092:
	movq	152(%rsp), %rsi
	movq	%r10, %r15
	xorl	%ecx, %ecx
	kmovb	%r8d, %k0
.L1822:
	movq	%rdi, %rax
	movl	$32, %r10d
	vpbroadcastd	36(%rdx), %zmm0
	vpbroadcastd	4(%rdx), %zmm4
	subq	%rcx, %rax
	vpbroadcastd	28(%rdx), %zmm3
	vpbroadcastd	12(%rdx), %zmm7
	leaq	-4096(%rsi), %r14
	cmpq	%r10, %rax
	vpbroadcastd	20(%rdx), %zmm5
	movq	%rsi, %r13
	vmovdqa64	%zmm0, %zmm13
	cmovg	%r10, %rax
	vmovdqa64	%zmm0, %zmm11
	vmovdqa64	%zmm4, %zmm1
	vmovdqa64	%zmm7, %zmm8
	vmovdqa64	%zmm5, %zmm6
	salq	$7, %rax
	vmovdqa64	%zmm3, %zmm14
	vmovdqa64	%zmm3, %zmm12
	leaq	(%rax,%rsi), %r10
	vmovdqa64	%zmm4, %zmm0
	movq	%r15, %rax
.L1818:
	prefetcht0	0(%r13)
	prefetcht0	64(%r13)
	subq	$-128, %r13
	vpbroadcastd	(%rax), %zmm10
	vmovups	(%r14), %zmm4
	vmovups	64(%r14), %zmm3
	addq	$20, %rax
	subq	$-128, %r14
	vmovdqa64	%zmm0, %zmm9
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm10, %zmm4, %zmm1
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm10, %zmm3, %zmm9
# 0 "" 2
#NO_APP
	vmovdqa64	%zmm9, %zmm0
	vpbroadcastd	-16(%rax), %zmm9
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm9, %zmm4, %zmm8
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm9, %zmm3, %zmm7
# 0 "" 2
#NO_APP
	vpbroadcastd	-12(%rax), %zmm9
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm9, %zmm4, %zmm6
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm9, %zmm3, %zmm5
# 0 "" 2
#NO_APP
	vpbroadcastd	-8(%rax), %zmm9
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm9, %zmm4, %zmm14
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm9, %zmm3, %zmm12
# 0 "" 2
#NO_APP
	vpbroadcastd	-4(%rax), %zmm9
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm9, %zmm4, %zmm13
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm9, %zmm3, %zmm11
# 0 "" 2
#NO_APP
	cmpq	%r10, %r13
	jne	.L1818
	vmovss	(%rdx), %xmm10
	kortestb	%k0, %k0
	jne	.L1819
	vcvtdq2ps	%zmm1, %zmm4
	vbroadcastss	%xmm10, %zmm10
	vfmadd213ps	(%r11), %zmm10, %zmm4
	vmovups	64(%r11), %zmm3
	vcvtdq2ps	%zmm6, %zmm1
	vcvtdq2ps	%zmm5, %zmm5
	vmovups	%zmm4, (%r11)
	vcvtdq2ps	%zmm0, %zmm4
	vcvtdq2ps	%zmm8, %zmm0
	vfmadd132ps	(%rdx){1to16}, %zmm3, %zmm4
	vmovups	128(%r11), %zmm3
	vmovups	%zmm4, 64(%r11)
	vmovups	192(%r11), %zmm4
	vfmadd132ps	8(%rdx){1to16}, %zmm3, %zmm0
	vcvtdq2ps	%zmm7, %zmm3
	vmovups	%zmm0, 128(%r11)
	vcvtdq2ps	%zmm14, %zmm0
	vfmadd132ps	8(%rdx){1to16}, %zmm4, %zmm3
	vmovups	448(%r11), %zmm4
	vmovups	%zmm3, 192(%r11)
	vmovups	256(%r11), %zmm3
	vfmadd132ps	16(%rdx){1to16}, %zmm3, %zmm1
	vmovups	320(%r11), %zmm3
	vmovups	%zmm1, 256(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm3, %zmm5
	vmovups	384(%r11), %zmm3
	vmovups	%zmm5, 320(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm3, %zmm0
	vcvtdq2ps	%zmm12, %zmm3
	vmovups	%zmm0, 384(%r11)
	vcvtdq2ps	%zmm13, %zmm0
	vfmadd132ps	24(%rdx){1to16}, %zmm4, %zmm3
	vmovups	%zmm3, 448(%r11)
	vmovups	512(%r11), %zmm3
	vfmadd132ps	32(%rdx){1to16}, %zmm3, %zmm0
	vmovups	576(%r11), %zmm3
	vmovups	%zmm0, 512(%r11)
	vcvtdq2ps	%zmm11, %zmm0
	vfmadd132ps	32(%rdx){1to16}, %zmm3, %zmm0
.L2046:
	addq	$32, %rcx
	addq	$40, %rdx
	vmovups	%zmm0, 576(%r11)
	addq	$4096, %rsi
	addq	$640, %r15
	cmpq	%rcx, %rdi
	jle	.L1766
	kxorb	%k0, %k0, %k0
	jmp	.L1822
.L2091:
	movq	152(%rsp), %r13
	movq	%r10, %r15
	xorl	%esi, %esi
	kmovb	%r8d, %k0
.L1816:
	movq	%rdi, %rax
	movl	$32, %ecx
	vpbroadcastd	44(%rdx), %zmm0
	vpbroadcastd	4(%rdx), %zmm11
	subq	%rsi, %rax
	vpbroadcastd	12(%rdx), %zmm9
	vpbroadcastd	20(%rdx), %zmm7
	leaq	-4096(%r13), %r14
	cmpq	%rcx, %rax
	vpbroadcastd	28(%rdx), %zmm5
	movq	%r13, %r10
	vpbroadcastd	36(%rdx), %zmm3
	cmovg	%rcx, %rax
	vmovdqa64	%zmm11, %zmm12
	vmovdqa64	%zmm9, %zmm10
	vmovdqa64	%zmm7, %zmm8
	vmovdqa64	%zmm5, %zmm6
	salq	$7, %rax
	vmovdqa64	%zmm3, %zmm4
	vmovdqa64	%zmm0, %zmm15
	leaq	(%rax,%r13), %rcx
	vmovdqa64	%zmm0, %zmm14
	movq	%r15, %rax
.L1812:
	prefetcht0	(%r10)
	prefetcht0	64(%r10)
	subq	$-128, %r10
	vpbroadcastd	(%rax), %zmm13
	vmovups	(%r14), %zmm1
	vmovups	64(%r14), %zmm0
	addq	$24, %rax
	subq	$-128, %r14
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm13, %zmm1, %zmm12
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm13, %zmm0, %zmm11
# 0 "" 2
#NO_APP
	vpbroadcastd	-20(%rax), %zmm13
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm13, %zmm1, %zmm10
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm13, %zmm0, %zmm9
# 0 "" 2
#NO_APP
	vpbroadcastd	-16(%rax), %zmm13
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm13, %zmm1, %zmm8
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm13, %zmm0, %zmm7
# 0 "" 2
#NO_APP
	vpbroadcastd	-12(%rax), %zmm13
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm13, %zmm1, %zmm6
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm13, %zmm0, %zmm5
# 0 "" 2
#NO_APP
	vpbroadcastd	-8(%rax), %zmm13
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm13, %zmm1, %zmm4
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm13, %zmm0, %zmm3
# 0 "" 2
#NO_APP
	vpbroadcastd	-4(%rax), %zmm13
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm13, %zmm1, %zmm15
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm13, %zmm0, %zmm14
# 0 "" 2
#NO_APP
	cmpq	%rcx, %r10
	jne	.L1812
	vmovss	(%rdx), %xmm13
	vcvtdq2ps	%zmm12, %zmm12
	kortestb	%k0, %k0
	vbroadcastss	%xmm13, %zmm13
	jne	.L1813
	vfmadd213ps	(%r11), %zmm13, %zmm12
	vcvtdq2ps	%zmm11, %zmm11
	vmovups	64(%r11), %zmm0
	vcvtdq2ps	%zmm9, %zmm9
	vmovups	128(%r11), %zmm1
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm3, %zmm3
	vmovups	%zmm12, (%r11)
	vfmadd132ps	(%rdx){1to16}, %zmm0, %zmm11
	vcvtdq2ps	%zmm10, %zmm0
	vmovups	%zmm11, 64(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm1, %zmm0
	vcvtdq2ps	%zmm8, %zmm1
	vmovups	%zmm0, 128(%r11)
	vmovups	192(%r11), %zmm0
	vfmadd132ps	8(%rdx){1to16}, %zmm0, %zmm9
	vmovups	256(%r11), %zmm0
	vmovups	%zmm9, 192(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm0, %zmm1
	vmovups	320(%r11), %zmm0
	vmovups	%zmm1, 256(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm0, %zmm7
	vcvtdq2ps	%zmm6, %zmm0
	vmovups	384(%r11), %zmm6
	vmovups	%zmm7, 320(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm6, %zmm0
	vmovups	448(%r11), %zmm6
	vmovups	%zmm0, 384(%r11)
	vcvtdq2ps	%zmm4, %zmm0
	vmovups	512(%r11), %zmm4
	vfmadd132ps	24(%rdx){1to16}, %zmm6, %zmm5
	vmovups	%zmm5, 448(%r11)
	vfmadd132ps	32(%rdx){1to16}, %zmm4, %zmm0
	vmovups	576(%r11), %zmm4
	vmovups	%zmm0, 512(%r11)
	vcvtdq2ps	%zmm15, %zmm0
	vfmadd132ps	32(%rdx){1to16}, %zmm4, %zmm3
	vmovups	%zmm3, 576(%r11)
	vmovups	640(%r11), %zmm3
	vfmadd132ps	40(%rdx){1to16}, %zmm3, %zmm0
	vmovups	%zmm0, 640(%r11)
	vcvtdq2ps	%zmm14, %zmm0
	vmovups	704(%r11), %zmm3
	vfmadd132ps	40(%rdx){1to16}, %zmm3, %zmm0
.L2045:
	addq	$32, %rsi
	addq	$48, %rdx
	vmovups	%zmm0, 704(%r11)
	addq	$4096, %r13
	addq	$768, %r15
	cmpq	%rsi, %rdi
	jle	.L1766
	kxorb	%k0, %k0, %k0
	jmp	.L1816
.L1813:
	vfmadd132ps	%zmm13, %zmm2, %zmm12
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm6, %zmm6
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm4, %zmm4
	vcvtdq2ps	%zmm3, %zmm3
	vcvtdq2ps	%zmm15, %zmm1
	vcvtdq2ps	%zmm14, %zmm0
	vmovups	%zmm12, (%r11)
	vfmadd132ps	(%rdx){1to16}, %zmm2, %zmm11
	vmovups	%zmm11, 64(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm10
	vmovups	%zmm10, 128(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm9
	vmovups	%zmm9, 192(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm8
	vmovups	%zmm8, 256(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm7
	vmovups	%zmm7, 320(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm6
	vmovups	%zmm6, 384(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm5
	vmovups	%zmm5, 448(%r11)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm4
	vmovups	%zmm4, 512(%r11)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm3
	vmovups	%zmm3, 576(%r11)
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm1
	vmovups	%zmm1, 640(%r11)
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm0
	jmp	.L2045
.L1819:
	vbroadcastss	%xmm10, %zmm10
	vcvtdq2ps	%zmm1, %zmm9
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm7, %zmm7
	vfmadd132ps	%zmm10, %zmm2, %zmm9
	vcvtdq2ps	%zmm6, %zmm6
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm14, %zmm4
	vcvtdq2ps	%zmm12, %zmm3
	vcvtdq2ps	%zmm13, %zmm1
	vmovups	%zmm9, (%r11)
	vcvtdq2ps	%zmm0, %zmm9
	vcvtdq2ps	%zmm11, %zmm0
	vfmadd132ps	(%rdx){1to16}, %zmm2, %zmm9
	vmovups	%zmm9, 64(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm8
	vmovups	%zmm8, 128(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm7
	vmovups	%zmm7, 192(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm6
	vmovups	%zmm6, 256(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm5
	vmovups	%zmm5, 320(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm4
	vmovups	%zmm4, 384(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm3
	vmovups	%zmm3, 448(%r11)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm1
	vmovups	%zmm1, 512(%r11)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm0
	jmp	.L2046
.L2090:
	movq	152(%rsp), %r13
	movq	%r10, %r15
	xorl	%esi, %esi
	kmovb	%r8d, %k0
.L1810:
	movq	%rdi, %rax
	movl	$32, %ecx
	vpbroadcastd	52(%rdx), %zmm0
	vpbroadcastd	4(%rdx), %zmm13
	subq	%rsi, %rax
	vpbroadcastd	12(%rdx), %zmm11
	vpbroadcastd	20(%rdx), %zmm9
	leaq	-4096(%r13), %r14
	cmpq	%rcx, %rax
	vmovdqa64	%zmm13, %zmm14
	movq	%r13, %r10
	vpbroadcastd	28(%rdx), %zmm7
	cmovg	%rcx, %rax
	vpbroadcastd	36(%rdx), %zmm5
	vpbroadcastd	44(%rdx), %zmm3
	vmovdqa64	%zmm11, %zmm12
	vmovdqa64	%zmm9, %zmm10
	vmovdqa64	%zmm7, %zmm8
	salq	$7, %rax
	vmovdqa64	%zmm5, %zmm6
	vmovdqa64	%zmm3, %zmm4
	leaq	(%rax,%r13), %rcx
	vmovdqa64	%zmm0, %zmm16
	vmovdqa64	%zmm0, %zmm15
	movq	%r15, %rax
.L1806:
	prefetcht0	(%r10)
	prefetcht0	64(%r10)
	subq	$-128, %r10
	vpbroadcastd	(%rax), %zmm17
	vmovups	(%r14), %zmm1
	vmovups	64(%r14), %zmm0
	addq	$28, %rax
	subq	$-128, %r14
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm17, %zmm1, %zmm14
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm17, %zmm0, %zmm13
# 0 "" 2
#NO_APP
	vpbroadcastd	-24(%rax), %zmm17
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm17, %zmm1, %zmm12
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm17, %zmm0, %zmm11
# 0 "" 2
#NO_APP
	vpbroadcastd	-20(%rax), %zmm17
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm17, %zmm1, %zmm10
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm17, %zmm0, %zmm9
# 0 "" 2
#NO_APP
	vpbroadcastd	-16(%rax), %zmm17
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm17, %zmm1, %zmm8
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm17, %zmm0, %zmm7
# 0 "" 2
#NO_APP
	vpbroadcastd	-12(%rax), %zmm17
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm17, %zmm1, %zmm6
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm17, %zmm0, %zmm5
# 0 "" 2
#NO_APP
	vpbroadcastd	-8(%rax), %zmm17
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm17, %zmm1, %zmm4
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm17, %zmm0, %zmm3
# 0 "" 2
#NO_APP
	vpbroadcastd	-4(%rax), %zmm17
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm17, %zmm1, %zmm16
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm17, %zmm0, %zmm15
# 0 "" 2
#NO_APP
	cmpq	%r10, %rcx
	jne	.L1806
	vmovss	(%rdx), %xmm0
	vcvtdq2ps	%zmm14, %zmm14
	kortestb	%k0, %k0
	vbroadcastss	%xmm0, %zmm0
	jne	.L1807
	vfmadd213ps	(%r11), %zmm0, %zmm14
	vmovups	64(%r11), %zmm0
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm11, %zmm11
	vmovups	128(%r11), %zmm1
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm4, %zmm4
	vcvtdq2ps	%zmm3, %zmm3
	vmovups	%zmm14, (%r11)
	vfmadd132ps	(%rdx){1to16}, %zmm0, %zmm13
	vcvtdq2ps	%zmm12, %zmm0
	vmovups	%zmm13, 64(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm1, %zmm0
	vcvtdq2ps	%zmm10, %zmm1
	vmovups	%zmm0, 128(%r11)
	vmovups	192(%r11), %zmm0
	vfmadd132ps	8(%rdx){1to16}, %zmm0, %zmm11
	vmovups	256(%r11), %zmm0
	vmovups	%zmm11, 192(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm0, %zmm1
	vmovups	320(%r11), %zmm0
	vmovups	%zmm1, 256(%r11)
	vmovups	384(%r11), %zmm1
	vfmadd132ps	16(%rdx){1to16}, %zmm0, %zmm9
	vcvtdq2ps	%zmm8, %zmm0
	vmovups	%zmm9, 320(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm1, %zmm0
	vcvtdq2ps	%zmm16, %zmm1
	vmovups	%zmm0, 384(%r11)
	vmovups	448(%r11), %zmm0
	vfmadd132ps	24(%rdx){1to16}, %zmm0, %zmm7
	vcvtdq2ps	%zmm6, %zmm0
	vmovups	512(%r11), %zmm6
	vmovups	%zmm7, 448(%r11)
	vfmadd132ps	32(%rdx){1to16}, %zmm6, %zmm0
	vmovups	576(%r11), %zmm6
	vmovups	%zmm0, 512(%r11)
	vcvtdq2ps	%zmm15, %zmm0
	vfmadd132ps	32(%rdx){1to16}, %zmm6, %zmm5
	vmovups	640(%r11), %zmm6
	vmovups	%zmm5, 576(%r11)
	vfmadd132ps	40(%rdx){1to16}, %zmm6, %zmm4
	vmovups	%zmm4, 640(%r11)
	vmovups	704(%r11), %zmm4
	vfmadd132ps	40(%rdx){1to16}, %zmm4, %zmm3
	vmovups	%zmm3, 704(%r11)
	vmovups	768(%r11), %zmm3
	vfmadd132ps	48(%rdx){1to16}, %zmm3, %zmm1
	vmovups	832(%r11), %zmm3
	vmovups	%zmm1, 768(%r11)
	vfmadd132ps	48(%rdx){1to16}, %zmm3, %zmm0
.L2044:
	addq	$32, %rsi
	addq	$56, %rdx
	vmovups	%zmm0, 832(%r11)
	addq	$4096, %r13
	addq	$896, %r15
	cmpq	%rsi, %rdi
	jle	.L1766
	kxorb	%k0, %k0, %k0
	jmp	.L1810
.L1807:
	vfmadd132ps	%zmm0, %zmm2, %zmm14
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm6, %zmm6
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm4, %zmm4
	vcvtdq2ps	%zmm3, %zmm3
	vcvtdq2ps	%zmm16, %zmm1
	vcvtdq2ps	%zmm15, %zmm0
	vmovups	%zmm14, (%r11)
	vfmadd132ps	(%rdx){1to16}, %zmm2, %zmm13
	vmovups	%zmm13, 64(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm12
	vmovups	%zmm12, 128(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm11
	vmovups	%zmm11, 192(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm10
	vmovups	%zmm10, 256(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm9
	vmovups	%zmm9, 320(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm8
	vmovups	%zmm8, 384(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm7
	vmovups	%zmm7, 448(%r11)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm6
	vmovups	%zmm6, 512(%r11)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm5
	vmovups	%zmm5, 576(%r11)
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm4
	vmovups	%zmm4, 640(%r11)
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm3
	vmovups	%zmm3, 704(%r11)
	vfmadd132ps	48(%rdx){1to16}, %zmm2, %zmm1
	vmovups	%zmm1, 768(%r11)
	vfmadd132ps	48(%rdx){1to16}, %zmm2, %zmm0
	jmp	.L2044
.L2089:
	movq	152(%rsp), %r13
	movq	%r10, %r15
	xorl	%esi, %esi
	kmovb	%r8d, %k0
.L1804:
	movq	%rdi, %rax
	movl	$32, %ecx
	vpbroadcastd	4(%rdx), %zmm15
	vpbroadcastd	12(%rdx), %zmm13
	subq	%rsi, %rax
	vpbroadcastd	20(%rdx), %zmm11
	vpbroadcastd	28(%rdx), %zmm9
	leaq	-4096(%r13), %r14
	cmpq	%rcx, %rax
	vpbroadcastd	36(%rdx), %zmm7
	vpbroadcastd	44(%rdx), %zmm5
	vmovdqa64	%zmm15, %zmm16
	cmovg	%rcx, %rax
	vpbroadcastd	52(%rdx), %zmm3
	movq	%r13, %r10
	vpbroadcastd	60(%rdx), %zmm0
	vmovdqa64	%zmm13, %zmm14
	vmovdqa64	%zmm11, %zmm12
	salq	$7, %rax
	vmovdqa64	%zmm9, %zmm10
	vmovdqa64	%zmm7, %zmm8
	leaq	(%rax,%r13), %rcx
	vmovdqa64	%zmm5, %zmm6
	vmovdqa64	%zmm3, %zmm4
	movq	%r15, %rax
	vmovdqa64	%zmm0, %zmm1
.L1800:
	prefetcht0	(%r10)
	prefetcht0	64(%r10)
	subq	$-128, %r10
	vpbroadcastd	(%rax), %zmm19
	vmovups	(%r14), %zmm18
	vmovups	64(%r14), %zmm17
	addq	$32, %rax
	subq	$-128, %r14
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm19, %zmm18, %zmm16
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm19, %zmm17, %zmm15
# 0 "" 2
#NO_APP
	vpbroadcastd	-28(%rax), %zmm19
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm19, %zmm18, %zmm14
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm19, %zmm17, %zmm13
# 0 "" 2
#NO_APP
	vpbroadcastd	-24(%rax), %zmm19
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm19, %zmm18, %zmm12
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm19, %zmm17, %zmm11
# 0 "" 2
#NO_APP
	vpbroadcastd	-20(%rax), %zmm19
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm19, %zmm18, %zmm10
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm19, %zmm17, %zmm9
# 0 "" 2
#NO_APP
	vpbroadcastd	-16(%rax), %zmm19
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm19, %zmm18, %zmm8
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm19, %zmm17, %zmm7
# 0 "" 2
#NO_APP
	vpbroadcastd	-12(%rax), %zmm19
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm19, %zmm18, %zmm6
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm19, %zmm17, %zmm5
# 0 "" 2
#NO_APP
	vpbroadcastd	-8(%rax), %zmm19
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm19, %zmm18, %zmm4
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm19, %zmm17, %zmm3
# 0 "" 2
#NO_APP
	vpbroadcastd	-4(%rax), %zmm19
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm19, %zmm18, %zmm1
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm19, %zmm17, %zmm0
# 0 "" 2
#NO_APP
	cmpq	%r10, %rcx
	jne	.L1800
	vmovss	(%rdx), %xmm17
	vcvtdq2ps	%zmm16, %zmm16
	kortestb	%k0, %k0
	vbroadcastss	%xmm17, %zmm17
	jne	.L1801
	vfmadd213ps	(%r11), %zmm17, %zmm16
	vmovups	64(%r11), %zmm31
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm6, %zmm6
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm4, %zmm4
	vcvtdq2ps	%zmm3, %zmm3
	vcvtdq2ps	%zmm1, %zmm1
	vcvtdq2ps	%zmm0, %zmm0
	vmovups	%zmm16, (%r11)
	vfmadd132ps	(%rdx){1to16}, %zmm31, %zmm15
	vmovups	%zmm15, 64(%r11)
	vmovups	128(%r11), %zmm15
	vfmadd132ps	8(%rdx){1to16}, %zmm15, %zmm14
	vmovups	%zmm14, 128(%r11)
	vmovups	192(%r11), %zmm14
	vfmadd132ps	8(%rdx){1to16}, %zmm14, %zmm13
	vmovups	256(%r11), %zmm14
	vmovups	%zmm13, 192(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm14, %zmm12
	vmovups	448(%r11), %zmm14
	vmovups	%zmm12, 256(%r11)
	vmovups	320(%r11), %zmm12
	vfmadd132ps	16(%rdx){1to16}, %zmm12, %zmm11
	vmovups	384(%r11), %zmm12
	vmovups	%zmm11, 320(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm12, %zmm10
	vmovups	512(%r11), %zmm12
	vmovups	%zmm10, 384(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm14, %zmm9
	vmovups	576(%r11), %zmm14
	vmovups	%zmm9, 448(%r11)
	vfmadd132ps	32(%rdx){1to16}, %zmm12, %zmm8
	vmovups	%zmm8, 512(%r11)
	vfmadd132ps	32(%rdx){1to16}, %zmm14, %zmm7
	vmovups	%zmm7, 576(%r11)
	vmovups	640(%r11), %zmm7
	vfmadd132ps	40(%rdx){1to16}, %zmm7, %zmm6
	vmovups	%zmm6, 640(%r11)
	vmovups	704(%r11), %zmm6
	vfmadd132ps	40(%rdx){1to16}, %zmm6, %zmm5
	vmovups	768(%r11), %zmm6
	vmovups	%zmm5, 704(%r11)
	vfmadd132ps	48(%rdx){1to16}, %zmm6, %zmm4
	vmovups	%zmm4, 768(%r11)
	vmovups	832(%r11), %zmm4
	vfmadd132ps	48(%rdx){1to16}, %zmm4, %zmm3
	vmovups	%zmm3, 832(%r11)
	vmovups	896(%r11), %zmm3
	vfmadd132ps	56(%rdx){1to16}, %zmm3, %zmm1
	vmovups	960(%r11), %zmm3
	vmovups	%zmm1, 896(%r11)
	vfmadd132ps	56(%rdx){1to16}, %zmm3, %zmm0
.L2043:
	addq	$32, %rsi
	addq	$64, %rdx
	vmovups	%zmm0, 960(%r11)
	addq	$4096, %r13
	addq	$1024, %r15
	cmpq	%rsi, %rdi
	jle	.L1766
	kxorb	%k0, %k0, %k0
	jmp	.L1804
.L1801:
	vfmadd132ps	%zmm17, %zmm2, %zmm16
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm6, %zmm6
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm4, %zmm4
	vcvtdq2ps	%zmm3, %zmm3
	vcvtdq2ps	%zmm1, %zmm1
	vcvtdq2ps	%zmm0, %zmm0
	vmovups	%zmm16, (%r11)
	vfmadd132ps	(%rdx){1to16}, %zmm2, %zmm15
	vmovups	%zmm15, 64(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm14
	vmovups	%zmm14, 128(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm13
	vmovups	%zmm13, 192(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm12
	vmovups	%zmm12, 256(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm11
	vmovups	%zmm11, 320(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm10
	vmovups	%zmm10, 384(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm9
	vmovups	%zmm9, 448(%r11)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm8
	vmovups	%zmm8, 512(%r11)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm7
	vmovups	%zmm7, 576(%r11)
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm6
	vmovups	%zmm6, 640(%r11)
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm5
	vmovups	%zmm5, 704(%r11)
	vfmadd132ps	48(%rdx){1to16}, %zmm2, %zmm4
	vmovups	%zmm4, 768(%r11)
	vfmadd132ps	48(%rdx){1to16}, %zmm2, %zmm3
	vmovups	%zmm3, 832(%r11)
	vfmadd132ps	56(%rdx){1to16}, %zmm2, %zmm1
	vmovups	%zmm1, 896(%r11)
	vfmadd132ps	56(%rdx){1to16}, %zmm2, %zmm0
	jmp	.L2043
.L2088:
	movq	152(%rsp), %r13
	movq	%r10, %r15
	xorl	%esi, %esi
	kmovb	%r8d, %k0
.L1798:
	movq	%rdi, %rax
	movl	$32, %ecx
	vpbroadcastd	4(%rdx), %zmm17
	vpbroadcastd	12(%rdx), %zmm14
	subq	%rsi, %rax
	vpbroadcastd	20(%rdx), %zmm12
	vpbroadcastd	28(%rdx), %zmm10
	leaq	-4096(%r13), %r14
	cmpq	%rcx, %rax
	vpbroadcastd	36(%rdx), %zmm8
	vpbroadcastd	44(%rdx), %zmm6
	vmovdqa64	%zmm17, %zmm18
	cmovg	%rcx, %rax
	vmovdqa64	%zmm14, %zmm16
	movq	%r13, %r10
	vpbroadcastd	52(%rdx), %zmm4
	vpbroadcastd	60(%rdx), %zmm1
	vpbroadcastd	68(%rdx), %zmm0
	vmovdqa64	%zmm12, %zmm13
	vmovdqa64	%zmm10, %zmm11
	salq	$7, %rax
	vmovdqa64	%zmm8, %zmm9
	vmovdqa64	%zmm6, %zmm7
	leaq	(%rax,%r13), %rcx
	vmovdqa64	%zmm4, %zmm5
	vmovdqa64	%zmm1, %zmm3
	movq	%r15, %rax
	vmovdqa64	%zmm0, %zmm15
.L1794:
	prefetcht0	(%r10)
	prefetcht0	64(%r10)
	subq	$-128, %r10
	vpbroadcastd	(%rax), %zmm21
	vmovups	(%r14), %zmm20
	vmovups	64(%r14), %zmm19
	addq	$36, %rax
	subq	$-128, %r14
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm20, %zmm18
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm19, %zmm17
# 0 "" 2
#NO_APP
	vpbroadcastd	-32(%rax), %zmm21
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm20, %zmm16
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm19, %zmm14
# 0 "" 2
#NO_APP
	vpbroadcastd	-28(%rax), %zmm21
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm20, %zmm13
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm19, %zmm12
# 0 "" 2
#NO_APP
	vpbroadcastd	-24(%rax), %zmm21
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm20, %zmm11
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm19, %zmm10
# 0 "" 2
#NO_APP
	vpbroadcastd	-20(%rax), %zmm21
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm20, %zmm9
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm19, %zmm8
# 0 "" 2
#NO_APP
	vpbroadcastd	-16(%rax), %zmm21
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm20, %zmm7
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm19, %zmm6
# 0 "" 2
#NO_APP
	vpbroadcastd	-12(%rax), %zmm21
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm20, %zmm5
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm19, %zmm4
# 0 "" 2
#NO_APP
	vpbroadcastd	-8(%rax), %zmm21
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm20, %zmm3
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm19, %zmm1
# 0 "" 2
#NO_APP
	vpbroadcastd	-4(%rax), %zmm21
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm20, %zmm15
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm21, %zmm19, %zmm0
# 0 "" 2
#NO_APP
	cmpq	%rcx, %r10
	jne	.L1794
	vmovss	(%rdx), %xmm19
	vcvtdq2ps	%zmm18, %zmm18
	kortestb	%k0, %k0
	vbroadcastss	%xmm19, %zmm19
	jne	.L1795
	vfmadd213ps	(%r11), %zmm19, %zmm18
	vmovups	64(%r11), %zmm31
	vcvtdq2ps	%zmm17, %zmm17
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm6, %zmm6
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm4, %zmm4
	vcvtdq2ps	%zmm3, %zmm3
	vcvtdq2ps	%zmm1, %zmm1
	vcvtdq2ps	%zmm0, %zmm0
	vmovups	%zmm18, (%r11)
	vfmadd132ps	(%rdx){1to16}, %zmm31, %zmm17
	vmovups	128(%r11), %zmm31
	vmovups	%zmm17, 64(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm31, %zmm16
	vmovups	192(%r11), %zmm31
	vmovups	%zmm16, 128(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm31, %zmm14
	vmovups	%zmm14, 192(%r11)
	vmovups	256(%r11), %zmm14
	vfmadd132ps	16(%rdx){1to16}, %zmm14, %zmm13
	vmovups	320(%r11), %zmm14
	vmovups	%zmm13, 256(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm14, %zmm12
	vmovups	384(%r11), %zmm14
	vmovups	%zmm12, 320(%r11)
	vmovups	640(%r11), %zmm12
	vfmadd132ps	24(%rdx){1to16}, %zmm14, %zmm11
	vmovups	448(%r11), %zmm14
	vmovups	%zmm11, 384(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm14, %zmm10
	vmovups	512(%r11), %zmm14
	vmovups	%zmm10, 448(%r11)
	vfmadd132ps	32(%rdx){1to16}, %zmm14, %zmm9
	vmovups	576(%r11), %zmm14
	vmovups	%zmm9, 512(%r11)
	vfmadd132ps	32(%rdx){1to16}, %zmm14, %zmm8
	vmovups	%zmm8, 576(%r11)
	vfmadd132ps	40(%rdx){1to16}, %zmm12, %zmm7
	vmovups	%zmm7, 640(%r11)
	vmovups	704(%r11), %zmm7
	vfmadd132ps	40(%rdx){1to16}, %zmm7, %zmm6
	vmovups	%zmm6, 704(%r11)
	vmovups	768(%r11), %zmm6
	vfmadd132ps	48(%rdx){1to16}, %zmm6, %zmm5
	vmovups	832(%r11), %zmm6
	vmovups	%zmm5, 768(%r11)
	vfmadd132ps	48(%rdx){1to16}, %zmm6, %zmm4
	vmovups	%zmm4, 832(%r11)
	vmovups	896(%r11), %zmm4
	vfmadd132ps	56(%rdx){1to16}, %zmm4, %zmm3
	vmovups	%zmm3, 896(%r11)
	vmovups	960(%r11), %zmm3
	vfmadd132ps	56(%rdx){1to16}, %zmm3, %zmm1
	vmovups	1024(%r11), %zmm3
	vmovups	%zmm1, 960(%r11)
	vcvtdq2ps	%zmm15, %zmm1
	vfmadd132ps	64(%rdx){1to16}, %zmm3, %zmm1
	vmovups	1088(%r11), %zmm3
	vmovups	%zmm1, 1024(%r11)
	vfmadd132ps	64(%rdx){1to16}, %zmm3, %zmm0
.L2042:
	addq	$32, %rsi
	addq	$72, %rdx
	vmovups	%zmm0, 1088(%r11)
	addq	$4096, %r13
	addq	$1152, %r15
	cmpq	%rsi, %rdi
	jle	.L1766
	kxorb	%k0, %k0, %k0
	jmp	.L1798
.L1795:
	vfmadd132ps	%zmm19, %zmm2, %zmm18
	vcvtdq2ps	%zmm17, %zmm17
	vcvtdq2ps	%zmm16, %zmm16
	vcvtdq2ps	%zmm14, %zmm14
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm12, %zmm12
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm6, %zmm6
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm4, %zmm4
	vcvtdq2ps	%zmm3, %zmm3
	vcvtdq2ps	%zmm0, %zmm0
	vmovups	%zmm18, (%r11)
	vfmadd132ps	(%rdx){1to16}, %zmm2, %zmm17
	vmovups	%zmm17, 64(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm16
	vmovups	%zmm16, 128(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm14
	vmovups	%zmm14, 192(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm13
	vmovups	%zmm13, 256(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm12
	vmovups	%zmm12, 320(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm11
	vmovups	%zmm11, 384(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm10
	vmovups	%zmm10, 448(%r11)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm9
	vmovups	%zmm9, 512(%r11)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm8
	vmovups	%zmm8, 576(%r11)
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm7
	vmovups	%zmm7, 640(%r11)
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm6
	vmovups	%zmm6, 704(%r11)
	vfmadd132ps	48(%rdx){1to16}, %zmm2, %zmm5
	vmovups	%zmm5, 768(%r11)
	vfmadd132ps	48(%rdx){1to16}, %zmm2, %zmm4
	vmovups	%zmm4, 832(%r11)
	vfmadd132ps	56(%rdx){1to16}, %zmm2, %zmm3
	vmovups	%zmm3, 896(%r11)
	vcvtdq2ps	%zmm1, %zmm3
	vcvtdq2ps	%zmm15, %zmm1
	vfmadd132ps	56(%rdx){1to16}, %zmm2, %zmm3
	vmovups	%zmm3, 960(%r11)
	vfmadd132ps	64(%rdx){1to16}, %zmm2, %zmm1
	vmovups	%zmm1, 1024(%r11)
	vfmadd132ps	64(%rdx){1to16}, %zmm2, %zmm0
	jmp	.L2042
.L2087:
	movq	152(%rsp), %r13
	movq	%r10, %r15
	movl	%r8d, %esi
	movl	%r8d, %r10d
	xorl	%r14d, %r14d
	movq	%rdi, %r8
.L1792:
	movq	%r8, %rax
	movl	$32, %ecx
	vpbroadcastd	4(%rdx), %zmm19
	vpbroadcastd	12(%rdx), %zmm15
	subq	%r14, %rax
	vpbroadcastd	20(%rdx), %zmm13
	vpbroadcastd	28(%rdx), %zmm11
	leaq	-4096(%r13), %rdi
	cmpq	%rcx, %rax
	vpbroadcastd	36(%rdx), %zmm9
	vpbroadcastd	44(%rdx), %zmm7
	vmovdqa64	%zmm19, %zmm20
	cmovg	%rcx, %rax
	vpbroadcastd	52(%rdx), %zmm6
	vpbroadcastd	60(%rdx), %zmm5
	vmovdqa64	%zmm15, %zmm18
	vpbroadcastd	68(%rdx), %zmm4
	vpbroadcastd	76(%rdx), %zmm3
	movq	%r13, %rcx
	vmovdqa64	%zmm13, %zmm22
	salq	$7, %rax
	vmovdqa64	%zmm11, %zmm21
	vmovdqa64	%zmm9, %zmm10
	addq	%r13, %rax
	vmovdqa64	%zmm7, %zmm8
	vmovdqa64	%zmm6, %zmm17
	movq	%rax, 112(%rsp)
	vmovdqa64	%zmm5, %zmm16
	vmovdqa64	%zmm4, %zmm14
	movq	%r15, %rax
	vmovdqa64	%zmm3, %zmm12
.L1788:
	prefetcht0	(%rcx)
	prefetcht0	64(%rcx)
	subq	$-128, %rdi
	subq	$-128, %rcx
	vpbroadcastd	(%rax), %zmm23
	vmovups	-128(%rdi), %zmm1
	addq	$40, %rax
	vmovups	-64(%rdi), %zmm0
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm1, %zmm20
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm0, %zmm19
# 0 "" 2
#NO_APP
	vpbroadcastd	-36(%rax), %zmm23
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm1, %zmm18
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm0, %zmm15
# 0 "" 2
#NO_APP
	vpbroadcastd	-32(%rax), %zmm23
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm1, %zmm22
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm0, %zmm13
# 0 "" 2
#NO_APP
	vpbroadcastd	-28(%rax), %zmm23
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm1, %zmm21
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm0, %zmm11
# 0 "" 2
#NO_APP
	vpbroadcastd	-24(%rax), %zmm23
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm1, %zmm10
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm0, %zmm9
# 0 "" 2
#NO_APP
	vpbroadcastd	-20(%rax), %zmm23
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm1, %zmm8
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm0, %zmm7
# 0 "" 2
#NO_APP
	vpbroadcastd	-16(%rax), %zmm23
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm1, %zmm17
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm0, %zmm6
# 0 "" 2
#NO_APP
	vpbroadcastd	-12(%rax), %zmm23
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm1, %zmm16
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm0, %zmm5
# 0 "" 2
#NO_APP
	vpbroadcastd	-8(%rax), %zmm23
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm1, %zmm14
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm0, %zmm4
# 0 "" 2
#NO_APP
	vpbroadcastd	-4(%rax), %zmm23
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm1, %zmm12
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm23, %zmm0, %zmm3
# 0 "" 2
#NO_APP
	cmpq	%rcx, 112(%rsp)
	jne	.L1788
	vmovss	(%rdx), %xmm0
	vcvtdq2ps	%zmm20, %zmm20
	vbroadcastss	%xmm0, %zmm0
	testb	%sil, %sil
	jne	.L1789
	vfmadd213ps	(%r11), %zmm0, %zmm20
	vmovups	64(%r11), %zmm0
	vcvtdq2ps	%zmm19, %zmm19
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm22, %zmm1
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm7, %zmm7
	vcvtdq2ps	%zmm6, %zmm6
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm4, %zmm4
	vcvtdq2ps	%zmm3, %zmm3
	vmovups	%zmm20, (%r11)
	vfmadd132ps	(%rdx){1to16}, %zmm0, %zmm19
	vmovups	128(%r11), %zmm0
	vmovups	%zmm19, 64(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm0, %zmm18
	vmovups	192(%r11), %zmm0
	vmovups	%zmm18, 128(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm0, %zmm15
	vmovups	256(%r11), %zmm0
	vmovups	%zmm15, 192(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm0, %zmm1
	vmovups	320(%r11), %zmm0
	vmovups	%zmm1, 256(%r11)
	vmovups	384(%r11), %zmm1
	vfmadd132ps	16(%rdx){1to16}, %zmm0, %zmm13
	vcvtdq2ps	%zmm21, %zmm0
	vmovups	%zmm13, 320(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm1, %zmm0
	vcvtdq2ps	%zmm14, %zmm1
	vmovups	%zmm0, 384(%r11)
	vmovups	448(%r11), %zmm0
	vfmadd132ps	24(%rdx){1to16}, %zmm0, %zmm11
	vmovups	512(%r11), %zmm0
	vmovups	%zmm11, 448(%r11)
	vfmadd132ps	32(%rdx){1to16}, %zmm0, %zmm10
	vmovups	576(%r11), %zmm0
	vmovups	%zmm10, 512(%r11)
	vfmadd132ps	32(%rdx){1to16}, %zmm0, %zmm9
	vmovups	640(%r11), %zmm0
	vmovups	%zmm9, 576(%r11)
	vfmadd132ps	40(%rdx){1to16}, %zmm0, %zmm8
	vmovups	%zmm8, 640(%r11)
	vmovups	704(%r11), %zmm0
	vfmadd132ps	40(%rdx){1to16}, %zmm0, %zmm7
	vmovups	768(%r11), %zmm0
	vmovups	%zmm7, 704(%r11)
	vcvtdq2ps	%zmm17, %zmm7
	vfmadd132ps	48(%rdx){1to16}, %zmm0, %zmm7
	vcvtdq2ps	%zmm12, %zmm0
	vmovups	%zmm7, 768(%r11)
	vmovups	832(%r11), %zmm7
	vfmadd132ps	48(%rdx){1to16}, %zmm7, %zmm6
	vmovups	896(%r11), %zmm7
	vmovups	%zmm6, 832(%r11)
	vcvtdq2ps	%zmm16, %zmm6
	vfmadd132ps	56(%rdx){1to16}, %zmm7, %zmm6
	vmovups	%zmm6, 896(%r11)
	vmovups	960(%r11), %zmm6
	vfmadd132ps	56(%rdx){1to16}, %zmm6, %zmm5
	vmovups	1024(%r11), %zmm6
	vmovups	%zmm5, 960(%r11)
	vfmadd132ps	64(%rdx){1to16}, %zmm6, %zmm1
	vmovups	1088(%r11), %zmm6
	vmovups	%zmm1, 1024(%r11)
	vfmadd132ps	64(%rdx){1to16}, %zmm6, %zmm4
	vmovups	%zmm4, 1088(%r11)
	vmovups	1152(%r11), %zmm4
	vfmadd132ps	72(%rdx){1to16}, %zmm4, %zmm0
	vmovups	1216(%r11), %zmm4
	vmovups	%zmm0, 1152(%r11)
	vfmadd132ps	72(%rdx){1to16}, %zmm4, %zmm3
.L2052:
	addq	$32, %r14
	addq	$80, %rdx
	vmovups	%zmm3, 1216(%r11)
	addq	$4096, %r13
	addq	$1280, %r15
	cmpq	%r14, %r8
	jle	.L2011
	xorl	%esi, %esi
	jmp	.L1792
.L1789:
	vfmadd132ps	%zmm0, %zmm2, %zmm20
	vcvtdq2ps	%zmm19, %zmm19
	vcvtdq2ps	%zmm18, %zmm18
	vcvtdq2ps	%zmm15, %zmm15
	vcvtdq2ps	%zmm22, %zmm1
	vcvtdq2ps	%zmm13, %zmm13
	vcvtdq2ps	%zmm21, %zmm0
	vcvtdq2ps	%zmm11, %zmm11
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm4, %zmm4
	vcvtdq2ps	%zmm3, %zmm3
	vmovups	%zmm20, (%r11)
	vfmadd132ps	(%rdx){1to16}, %zmm2, %zmm19
	vmovups	%zmm19, 64(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm18
	vmovups	%zmm18, 128(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm15
	vmovups	%zmm15, 192(%r11)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm1
	vmovups	%zmm1, 256(%r11)
	vcvtdq2ps	%zmm14, %zmm1
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm13
	vmovups	%zmm13, 320(%r11)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm0
	vmovups	%zmm0, 384(%r11)
	vcvtdq2ps	%zmm12, %zmm0
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm11
	vmovups	%zmm11, 448(%r11)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm10
	vmovups	%zmm10, 512(%r11)
	vfmadd132ps	32(%rdx){1to16}, %zmm2, %zmm9
	vmovups	%zmm9, 576(%r11)
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm8
	vmovups	%zmm8, 640(%r11)
	vcvtdq2ps	%zmm7, %zmm8
	vcvtdq2ps	%zmm17, %zmm7
	vfmadd132ps	40(%rdx){1to16}, %zmm2, %zmm8
	vmovups	%zmm8, 704(%r11)
	vfmadd132ps	48(%rdx){1to16}, %zmm2, %zmm7
	vmovups	%zmm7, 768(%r11)
	vcvtdq2ps	%zmm6, %zmm7
	vcvtdq2ps	%zmm16, %zmm6
	vfmadd132ps	48(%rdx){1to16}, %zmm2, %zmm7
	vmovups	%zmm7, 832(%r11)
	vfmadd132ps	56(%rdx){1to16}, %zmm2, %zmm6
	vmovups	%zmm6, 896(%r11)
	vfmadd132ps	56(%rdx){1to16}, %zmm2, %zmm5
	vmovups	%zmm5, 960(%r11)
	vfmadd132ps	64(%rdx){1to16}, %zmm2, %zmm1
	vmovups	%zmm1, 1024(%r11)
	vfmadd132ps	64(%rdx){1to16}, %zmm2, %zmm4
	vmovups	%zmm4, 1088(%r11)
	vfmadd132ps	72(%rdx){1to16}, %zmm2, %zmm0
	vmovups	%zmm0, 1152(%r11)
	vfmadd132ps	72(%rdx){1to16}, %zmm2, %zmm3
	jmp	.L2052
.L2011:
	movq	%r8, %rdi
	movl	%r10d, %r8d
	jmp	.L1766
.L2095:
	movq	%r10, %r15
	movq	152(%rsp), %rsi
	xorl	%ecx, %ecx
	vxorps	%xmm6, %xmm6, %xmm6
	kmovb	%r8d, %k0
.L1840:
	movq	%rdi, %rax
	movl	$32, %r10d
	vpbroadcastd	4(%rdx), %zmm1
	vpbroadcastd	12(%rdx), %zmm0
	subq	%rcx, %rax
	leaq	-4032(%rsi), %r14
	movq	%r15, %r13
	cmpq	%r10, %rax
	vmovdqa64	%zmm1, %zmm4
	vmovdqa64	%zmm0, %zmm3
	cmovg	%r10, %rax
	movq	%rsi, %r10
	salq	$7, %rax
	addq	%rsi, %rax
.L1836:
	prefetcht0	(%r10)
	prefetcht0	64(%r10)
	subq	$-128, %r10
	vpbroadcastd	0(%r13), %zmm8
	vmovups	-64(%r14), %zmm7
	vmovups	(%r14), %zmm5
	addq	$8, %r13
	subq	$-128, %r14
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm8, %zmm7, %zmm4
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm8, %zmm5, %zmm1
# 0 "" 2
#NO_APP
	vpbroadcastd	-4(%r13), %zmm8
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm8, %zmm7, %zmm3
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm8, %zmm5, %zmm0
# 0 "" 2
#NO_APP
	cmpq	%r10, %rax
	jne	.L1836
	vmovss	(%rdx), %xmm5
	vcvtdq2ps	%zmm4, %zmm4
	kortestb	%k0, %k0
	vbroadcastss	%xmm5, %zmm5
	jne	.L1837
	vfmadd213ps	(%r11), %zmm5, %zmm4
	vcvtdq2ps	%zmm1, %zmm1
	vcvtdq2ps	%zmm3, %zmm3
	vcvtdq2ps	%zmm0, %zmm0
	vmovups	%zmm4, (%r11)
	vmovups	64(%r11), %zmm4
	vfmadd132ps	(%rdx){1to16}, %zmm4, %zmm1
	vmovups	128(%r11), %zmm4
	vmovups	%zmm1, 64(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm4, %zmm3
	vmovups	%zmm3, 128(%r11)
	vmovups	192(%r11), %zmm3
	vfmadd132ps	8(%rdx){1to16}, %zmm3, %zmm0
.L2049:
	addq	$32, %rcx
	addq	$16, %rdx
	vmovups	%zmm0, 192(%r11)
	addq	$4096, %rsi
	addq	$256, %r15
	cmpq	%rcx, %rdi
	jle	.L1766
	kxorb	%k0, %k0, %k0
	jmp	.L1840
.L2096:
	vfmadd213ps	(%r11), %zmm3, %zmm1
	vmovups	64(%r11), %zmm3
	vcvtdq2ps	%zmm0, %zmm0
	vmovups	%zmm1, (%r11)
	vfmadd132ps	(%rdx){1to16}, %zmm3, %zmm0
	jmp	.L2050
.L1837:
	vfmadd132ps	%zmm5, %zmm6, %zmm4
	vcvtdq2ps	%zmm1, %zmm1
	vcvtdq2ps	%zmm3, %zmm3
	vcvtdq2ps	%zmm0, %zmm0
	vmovups	%zmm4, (%r11)
	vfmadd132ps	(%rdx){1to16}, %zmm6, %zmm1
	vmovups	%zmm1, 64(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm6, %zmm3
	vmovups	%zmm3, 128(%r11)
	vfmadd132ps	8(%rdx){1to16}, %zmm6, %zmm0
	jmp	.L2049
.L2079:
	movq	%r9, %r15
	movq	%r10, %r14
	xorl	%esi, %esi
	movq	%rax, %r13
	vmovq	%rbx, %xmm12
	vmovq	%r12, %xmm14
	kmovb	%r8d, %k0
.L1918:
	movq	%rdi, %rax
	movl	$32, %r10d
	movq	%r14, %rbx
	movq	%r13, %r12
	subq	%rsi, %rax
	vpbroadcastd	20(%rdx), %zmm0
	vpbroadcastd	12(%rdx), %zmm5
	cmpq	%r10, %rax
	vpbroadcastd	4(%rdx), %zmm1
	cmovg	%r10, %rax
	vmovdqa64	%zmm0, %zmm8
	vmovdqa64	%zmm0, %zmm7
	movq	%r15, %r10
	vmovdqa64	%zmm1, %zmm4
	vmovdqa64	%zmm5, %zmm3
	salq	$7, %rax
	vmovdqa64	%zmm5, %zmm0
	addq	%r15, %rax
.L1914:
	vmovups	(%r10), %zmm6
	subq	$-128, %r10
	prefetcht1	(%r12)
	vpbroadcastd	(%rbx), %zmm9
	vmovups	-64(%r10), %zmm5
	addq	$64, %r12
	addq	$12, %rbx
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm9, %zmm6, %zmm4
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm9, %zmm5, %zmm1
# 0 "" 2
#NO_APP
	vpbroadcastd	-8(%rbx), %zmm9
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm9, %zmm6, %zmm3
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm9, %zmm5, %zmm0
# 0 "" 2
#NO_APP
	vpbroadcastd	-4(%rbx), %zmm9
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm9, %zmm6, %zmm8
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm9, %zmm5, %zmm7
# 0 "" 2
#NO_APP
	cmpq	%rax, %r10
	jne	.L1914
	vmovss	(%rdx), %xmm5
	vcvtdq2ps	%zmm4, %zmm4
	kortestb	%k0, %k0
	vbroadcastss	%xmm5, %zmm5
	jne	.L1915
	vfmadd213ps	(%rcx), %zmm5, %zmm4
	vcvtdq2ps	%zmm1, %zmm1
	vcvtdq2ps	%zmm3, %zmm3
	vmovups	%zmm4, (%rcx)
	vmovups	64(%rcx), %zmm4
	vfmadd132ps	(%rdx){1to16}, %zmm4, %zmm1
	vmovups	128(%rcx), %zmm4
	vmovups	%zmm1, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm4, %zmm3
	vmovups	192(%rcx), %zmm4
	vmovups	%zmm3, 128(%rcx)
	vcvtdq2ps	%zmm0, %zmm3
	vcvtdq2ps	%zmm8, %zmm0
	vfmadd132ps	8(%rdx){1to16}, %zmm4, %zmm3
	vmovups	%zmm3, 192(%rcx)
	vmovups	256(%rcx), %zmm3
	vfmadd132ps	16(%rdx){1to16}, %zmm3, %zmm0
	vmovups	320(%rcx), %zmm3
	vmovups	%zmm0, 256(%rcx)
	vcvtdq2ps	%zmm7, %zmm0
	vfmadd132ps	16(%rdx){1to16}, %zmm3, %zmm0
.L2064:
	addq	$32, %rsi
	addq	$24, %rdx
	vmovups	%zmm0, 320(%rcx)
	addq	$4096, %r15
	addq	$2048, %r13
	addq	$384, %r14
	cmpq	%rsi, %rdi
	jle	.L2032
	kxorb	%k0, %k0, %k0
	jmp	.L1918
.L1915:
	vfmadd132ps	%zmm5, %zmm2, %zmm4
	vcvtdq2ps	%zmm1, %zmm1
	vcvtdq2ps	%zmm3, %zmm3
	vmovups	%zmm4, (%rcx)
	vfmadd132ps	(%rdx){1to16}, %zmm2, %zmm1
	vmovups	%zmm1, 64(%rcx)
	vcvtdq2ps	%zmm8, %zmm1
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm3
	vmovups	%zmm3, 128(%rcx)
	vcvtdq2ps	%zmm0, %zmm3
	vcvtdq2ps	%zmm7, %zmm0
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm3
	vmovups	%zmm3, 192(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm1
	vmovups	%zmm1, 256(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm0
	jmp	.L2064
.L2078:
	movq	%rax, 112(%rsp)
	kmovb	%r8d, %k0
	movq	%r9, %r15
	xorl	%r13d, %r13d
	movq	%r11, 104(%rsp)
	movl	%r8d, %r11d
	movq	%rdi, %r8
.L1912:
	movq	%r8, %rax
	movl	$32, %esi
	vpbroadcastd	4(%rdx), %zmm0
	vpbroadcastd	12(%rdx), %zmm5
	subq	%r13, %rax
	vpbroadcastd	20(%rdx), %zmm9
	movq	112(%rsp), %r14
	cmpq	%rsi, %rax
	vpbroadcastd	28(%rdx), %zmm7
	vmovdqa64	%zmm0, %zmm1
	vmovdqa64	%zmm5, %zmm6
	cmovg	%rsi, %rax
	vmovdqa64	%zmm9, %zmm10
	movq	%r15, %rsi
	vmovdqa64	%zmm7, %zmm8
	salq	$7, %rax
	leaq	(%rax,%r15), %rdi
	movq	%r10, %rax
.L1908:
	vmovups	(%rsi), %zmm4
	subq	$-128, %rsi
	vpbroadcastd	(%rax), %zmm11
	prefetcht1	(%r14)
	vmovups	-64(%rsi), %zmm3
	addq	$64, %r14
	addq	$16, %rax
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm11, %zmm4, %zmm1
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm11, %zmm3, %zmm0
# 0 "" 2
#NO_APP
	vpbroadcastd	-12(%rax), %zmm11
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm11, %zmm4, %zmm6
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm11, %zmm3, %zmm5
# 0 "" 2
#NO_APP
	vpbroadcastd	-8(%rax), %zmm11
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm11, %zmm4, %zmm10
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm11, %zmm3, %zmm9
# 0 "" 2
#NO_APP
	vpbroadcastd	-4(%rax), %zmm11
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm11, %zmm4, %zmm8
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm11, %zmm3, %zmm7
# 0 "" 2
#NO_APP
	cmpq	%rdi, %rsi
	jne	.L1908
	vmovss	(%rdx), %xmm3
	vcvtdq2ps	%zmm1, %zmm1
	kortestb	%k0, %k0
	vbroadcastss	%xmm3, %zmm3
	jne	.L1909
	vfmadd213ps	(%rcx), %zmm3, %zmm1
	vmovups	64(%rcx), %zmm3
	vcvtdq2ps	%zmm0, %zmm0
	vcvtdq2ps	%zmm6, %zmm6
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm10, %zmm10
	vcvtdq2ps	%zmm9, %zmm9
	vcvtdq2ps	%zmm8, %zmm8
	vcvtdq2ps	%zmm7, %zmm7
	vmovups	%zmm1, (%rcx)
	vfmadd132ps	(%rdx){1to16}, %zmm3, %zmm0
	vmovups	128(%rcx), %zmm3
	vmovups	%zmm0, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm3, %zmm6
	vmovups	192(%rcx), %zmm3
	vmovups	%zmm6, 128(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm3, %zmm5
	vmovups	256(%rcx), %zmm3
	vmovups	%zmm5, 192(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm3, %zmm10
	vmovups	320(%rcx), %zmm3
	vmovups	%zmm10, 256(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm3, %zmm9
	vmovups	384(%rcx), %zmm3
	vmovups	%zmm9, 320(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm3, %zmm8
	vmovups	448(%rcx), %zmm3
	vmovups	%zmm8, 384(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm3, %zmm7
	vmovups	%zmm7, 448(%rcx)
.L2063:
	addq	$32, %r13
	addq	$32, %rdx
	addq	$2048, 112(%rsp)
	addq	$4096, %r15
	addq	$512, %r10
	cmpq	%r13, %r8
	jle	.L2031
	kxorb	%k0, %k0, %k0
	jmp	.L1912
.L1909:
	vfmadd132ps	%zmm3, %zmm2, %zmm1
	vcvtdq2ps	%zmm0, %zmm0
	vcvtdq2ps	%zmm6, %zmm6
	vcvtdq2ps	%zmm5, %zmm5
	vcvtdq2ps	%zmm10, %zmm4
	vcvtdq2ps	%zmm9, %zmm3
	vmovups	%zmm1, (%rcx)
	vcvtdq2ps	%zmm8, %zmm1
	vfmadd132ps	(%rdx){1to16}, %zmm2, %zmm0
	vmovups	%zmm0, 64(%rcx)
	vcvtdq2ps	%zmm7, %zmm0
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm6
	vmovups	%zmm6, 128(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm5
	vmovups	%zmm5, 192(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm4
	vmovups	%zmm4, 256(%rcx)
	vfmadd132ps	16(%rdx){1to16}, %zmm2, %zmm3
	vmovups	%zmm3, 320(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm1
	vmovups	%zmm1, 384(%rcx)
	vfmadd132ps	24(%rdx){1to16}, %zmm2, %zmm0
	vmovups	%zmm0, 448(%rcx)
	jmp	.L2063
.L2032:
	vmovq	%xmm12, %rbx
	vmovq	%xmm14, %r12
	jmp	.L1766
.L1933:
	cmpq	$0, 8(%r12)
	jle	.L1936
	movq	240(%rsp), %r9
	movq	%r11, 112(%rsp)
	xorl	%eax, %eax
	movq	%r11, %r8
	movq	%r13, 136(%rsp)
	movq	224(%rsp), %r14
	leaq	-1(%r9), %rdi
	movq	232(%rsp), %r10
	leaq	0(,%r9,4), %rsi
	movq	%rdi, 144(%rsp)
.L1950:
	movq	(%r12), %rdx
	movq	40(%r14), %rcx
	movq	120(%r14), %r13
	addq	%rax, %rdx
	testq	%rcx, %rcx
	je	.L1948
	movq	(%rcx,%rdx,8), %rdx
.L1948:
	imulq	72(%r14), %rdx
	addq	%r10, %rdx
	leaq	0(%r13,%rdx,4), %rcx
	testq	%r9, %r9
	jle	.L1956
	movq	%rax, 104(%rsp)
	leaq	(%rcx,%rsi), %r11
	movq	144(%rsp), %r15
	leaq	160(%rsp), %rdi
	movq	%rdi, 152(%rsp)
	movl	$15, %r13d
	andq	$-16, %r15
	movq	%rsi, 88(%rsp)
	addq	$31, %r15
	movq	%r15, %rax
	movq	%r8, %r15
	movq	%rax, %r8
	jmp	.L1955
.L2098:
	addq	$16, %r13
	vmovups	%zmm0, (%rcx)
	addq	$64, %rcx
	cmpq	%r8, %r13
	je	.L2097
.L1955:
	cmpq	$0, 112(%r14)
	vmovups	-60(%r15,%r13,4), %zmm0
	je	.L1951
	movq	128(%rsp), %rax
	vmulps	92(%rax,%r13,4), %zmm0, %zmm0
.L1951:
	cmpq	$0, 96(%r14)
	je	.L1952
	movq	128(%rsp), %rax
	vaddps	-36(%rax,%r13,4), %zmm0, %zmm0
.L1952:
	cmpq	%r9, %r13
	jl	.L2098
	movq	%r8, 48(%rsp)
	movq	%r11, %rdx
	movq	152(%rsp), %rsi
	movq	%rcx, %rdi
	movq	%r9, 56(%rsp)
	subq	%rcx, %rdx
	movq	%r10, 64(%rsp)
	movq	%r11, 72(%rsp)
	vmovups	%zmm0, 160(%rsp)
	vzeroupper
	call	memcpy@PLT
	movq	48(%rsp), %r8
	addq	$16, %r13
	movq	%rax, %rcx
	movq	56(%rsp), %r9
	movq	64(%rsp), %r10
	vxorps	%xmm2, %xmm2, %xmm2
	movq	72(%rsp), %r11
	addq	$64, %rcx
	cmpq	%r8, %r13
	jne	.L1955
.L2097:
	movq	104(%rsp), %rax
	movq	88(%rsp), %rsi
	movq	%r15, %r8
.L1956:
	addq	$1, %rax
	subq	$-128, %r8
	cmpq	8(%r12), %rax
	jl	.L1950
	movq	136(%rsp), %r13
	movq	112(%rsp), %r11
.L2103:
	addq	$1, %r13
	cmpq	%r13, 80(%rsp)
	jne	.L1758
	jmp	.L2099
.L2081:
	movq	%r9, 112(%rsp)
	movq	%rax, %r15
	movq	%r11, %r13
	kmovb	%r8d, %k0
	movl	%r8d, %r11d
	movq	%r10, %r14
	xorl	%eax, %eax
	movq	%rdi, %r8
	vmovq	%rbx, %xmm7
.L1929:
	movq	%r8, %rsi
	movl	$32, %edi
	movq	%rax, 104(%rsp)
	vpbroadcastd	4(%rdx), %zmm0
	subq	%rax, %rsi
	cmpq	%rdi, %rsi
	vmovdqa64	%zmm0, %zmm1
	cmovg	%rdi, %rsi
	movq	%r14, %rdi
	addq	%rax, %rsi
	leaq	(%r10,%rsi,4), %rbx
	movq	112(%rsp), %rsi
	vmovq	%rbx, %xmm6
	movq	%r15, %rbx
.L1925:
	vpbroadcastd	(%rdi), %zmm5
	vmovq	%xmm6, %rax
	prefetcht1	(%rbx)
	addq	$4, %rdi
	vmovups	(%rsi), %zmm4
	vmovups	64(%rsi), %zmm3
	addq	$64, %rbx
	subq	$-128, %rsi
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm5, %zmm4, %zmm1
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm5, %zmm3, %zmm0
# 0 "" 2
#NO_APP
	cmpq	%rax, %rdi
	jne	.L1925
	vmovss	(%rdx), %xmm3
	movq	104(%rsp), %rax
	vcvtdq2ps	%zmm1, %zmm1
	kortestb	%k0, %k0
	vbroadcastss	%xmm3, %zmm3
	je	.L2100
	vfmadd132ps	%zmm3, %zmm2, %zmm1
	vcvtdq2ps	%zmm0, %zmm0
	vmovups	%zmm1, (%rcx)
	vfmadd132ps	(%rdx){1to16}, %zmm2, %zmm0
.L2066:
	addq	$32, %rax
	vmovups	%zmm0, 64(%rcx)
	addq	$8, %rdx
	subq	$-128, %r14
	addq	$4096, 112(%rsp)
	addq	$2048, %r15
	cmpq	%rax, %r8
	jle	.L2034
	kxorb	%k0, %k0, %k0
	jmp	.L1929
.L2100:
	vfmadd213ps	(%rcx), %zmm3, %zmm1
	vmovups	64(%rcx), %zmm3
	vcvtdq2ps	%zmm0, %zmm0
	vmovups	%zmm1, (%rcx)
	vfmadd132ps	(%rdx){1to16}, %zmm3, %zmm0
	jmp	.L2066
.L1932:
	cmpq	$0, 8(%r12)
	jle	.L1936
	movq	240(%rsp), %r9
	movq	%r11, 112(%rsp)
	xorl	%eax, %eax
	movq	%r11, %r8
	movq	%r13, 136(%rsp)
	movq	224(%rsp), %r14
	leaq	-1(%r9), %rdi
	movq	232(%rsp), %r10
	leaq	(%r9,%r9), %rsi
	movq	%rdi, 144(%rsp)
.L1940:
	movq	(%r12), %rdx
	movq	40(%r14), %rcx
	movq	120(%r14), %r13
	addq	%rax, %rdx
	testq	%rcx, %rcx
	je	.L1938
	movq	(%rcx,%rdx,8), %rdx
.L1938:
	imulq	72(%r14), %rdx
	addq	%r10, %rdx
	leaq	0(%r13,%rdx,2), %rcx
	testq	%r9, %r9
	jle	.L1946
	movq	%rax, 104(%rsp)
	leaq	(%rcx,%rsi), %r11
	movq	144(%rsp), %r15
	leaq	160(%rsp), %rdi
	movq	%rdi, 152(%rsp)
	movl	$15, %r13d
	andq	$-16, %r15
	movq	%rsi, 88(%rsp)
	addq	$31, %r15
	jmp	.L1945
.L2102:
	addq	$16, %r13
	vcvtps2ph	$8, %zmm0, %ymm0
	addq	$32, %rcx
	vmovdqu	%ymm0, -32(%rcx)
	cmpq	%r13, %r15
	je	.L2101
.L1945:
	cmpq	$0, 112(%r14)
	vmovups	-60(%r8,%r13,4), %zmm0
	je	.L1941
	movq	128(%rsp), %rax
	vmulps	92(%rax,%r13,4), %zmm0, %zmm0
.L1941:
	cmpq	$0, 96(%r14)
	je	.L1942
	movq	128(%rsp), %rax
	vaddps	-36(%rax,%r13,4), %zmm0, %zmm0
.L1942:
	cmpq	%r9, %r13
	jl	.L2102
	movq	%r9, 48(%rsp)
	movq	%r11, %rdx
	movq	152(%rsp), %rsi
	movq	%rcx, %rdi
	movq	%r8, 56(%rsp)
	subq	%rcx, %rdx
	vcvtps2ph	$8, %zmm0, 160(%rsp)
	movq	%r10, 64(%rsp)
	movq	%r11, 72(%rsp)
	vzeroupper
	call	memcpy@PLT
	addq	$16, %r13
	movq	48(%rsp), %r9
	movq	%rax, %rcx
	movq	56(%rsp), %r8
	movq	64(%rsp), %r10
	vxorps	%xmm2, %xmm2, %xmm2
	movq	72(%rsp), %r11
	addq	$32, %rcx
	cmpq	%r13, %r15
	jne	.L1945
.L2101:
	movq	104(%rsp), %rax
	movq	88(%rsp), %rsi
.L1946:
	addq	$1, %rax
	subq	$-128, %r8
	cmpq	8(%r12), %rax
	jl	.L1940
	movq	136(%rsp), %r13
	movq	112(%rsp), %r11
	jmp	.L2103
.L2080:
	movq	%rax, 112(%rsp)
	movq	%r9, %r14
	kmovb	%r8d, %k0
	movq	%r10, %r15
	movq	%r11, 104(%rsp)
	xorl	%eax, %eax
	movq	%r9, %r11
	movl	%r8d, %r9d
	movq	%rdi, %r8
.L1924:
	movq	%r8, %rsi
	movl	$32, %edi
	movq	%r14, %r13
	vpbroadcastd	4(%rdx), %zmm1
	subq	%rax, %rsi
	vpbroadcastd	12(%rdx), %zmm0
	cmpq	%rdi, %rsi
	vmovdqa64	%zmm1, %zmm4
	cmovg	%rdi, %rsi
	vmovdqa64	%zmm0, %zmm3
	addq	%rax, %rsi
	leaq	(%r10,%rsi,8), %rdi
	movq	%r15, %rsi
	movq	%rdi, 72(%rsp)
	movq	112(%rsp), %rdi
.L1920:
	vpbroadcastd	(%rsi), %zmm7
	prefetcht1	(%rdi)
	subq	$-128, %r13
	addq	$64, %rdi
	vmovups	-128(%r13), %zmm6
	vmovups	-64(%r13), %zmm5
	addq	$8, %rsi
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm7, %zmm6, %zmm4
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm7, %zmm5, %zmm1
# 0 "" 2
#NO_APP
	vpbroadcastd	-4(%rsi), %zmm7
#APP
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm7, %zmm6, %zmm3
# 0 "" 2
# 42 "/work/wt/conv/csrc/cpu/dot_avx512.h" 1
	vpdpbusd %zmm7, %zmm5, %zmm0
# 0 "" 2
#NO_APP
	cmpq	%rsi, 72(%rsp)
	jne	.L1920
	vmovss	(%rdx), %xmm5
	vcvtdq2ps	%zmm4, %zmm4
	kortestb	%k0, %k0
	vbroadcastss	%xmm5, %zmm5
	jne	.L1921
	vfmadd213ps	(%rcx), %zmm5, %zmm4
	vcvtdq2ps	%zmm1, %zmm1
	vcvtdq2ps	%zmm3, %zmm3
	vcvtdq2ps	%zmm0, %zmm0
	vmovups	%zmm4, (%rcx)
	vmovups	64(%rcx), %zmm4
	vfmadd132ps	(%rdx){1to16}, %zmm4, %zmm1
	vmovups	128(%rcx), %zmm4
	vmovups	%zmm1, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm4, %zmm3
	vmovups	%zmm3, 128(%rcx)
	vmovups	192(%rcx), %zmm3
	vfmadd132ps	8(%rdx){1to16}, %zmm3, %zmm0
.L2065:
	addq	$32, %rax
	addq	$16, %rdx
	addq	$2048, 112(%rsp)
	addq	$4096, %r14
	vmovups	%zmm0, 192(%rcx)
	addq	$256, %r15
	cmpq	%rax, %r8
	jle	.L2033
	kxorb	%k0, %k0, %k0
	jmp	.L1924
.L2034:
	movq	%r8, %rdi
	vmovq	%xmm7, %rbx
	movl	%r11d, %r8d
	movq	%r13, %r11
	jmp	.L1766
.L2033:
	movq	%r8, %rdi
	movl	%r9d, %r8d
	movq	%r11, %r9
	movq	104(%rsp), %r11
	jmp	.L1766
.L1921:
	vfmadd132ps	%zmm5, %zmm2, %zmm4
	vcvtdq2ps	%zmm1, %zmm1
	vcvtdq2ps	%zmm3, %zmm3
	vcvtdq2ps	%zmm0, %zmm0
	vmovups	%zmm4, (%rcx)
	vfmadd132ps	(%rdx){1to16}, %zmm2, %zmm1
	vmovups	%zmm1, 64(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm3
	vmovups	%zmm3, 128(%rcx)
	vfmadd132ps	8(%rdx){1to16}, %zmm2, %zmm0
	jmp	.L2065
	.cfi_endproc
.LFE7123:
	.size	_ZN10torchpaged12_GLOBAL__N_120multiply_panels_withINS0_7VnniDotEEEvRKNS_12LinearParamsERKNS_8RowBlockEPKcllPc, .-_ZN10torchpaged12_GLOBAL__N_120multiply_panels_withINS0_7VnniDotEEEvRKNS_12LinearParamsERKNS_8RowBlockEPKcllPc
	.align 2
	.p2align 4
	.type	_ZZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEfENKUlT_E_clINS0_8BFloat16EEEDaS7_.constprop.0, @function
_ZZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEfENKUlT_E_clINS0_8BFloat16EEEDaS7_.constprop.0:
.LFB7952:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	andq	$-64, %rsp
	subq	$520, %rsp
	vbroadcastss	.LC1(%rip), %zmm0
	movq	(%rdi), %rax
	movq	16(%rax), %r8
	movq	(%rax), %rsi
	vmovups	%zmm0, -32(%rsp)
	vmovups	%zmm0, 32(%rsp)
	leaq	127(%r8), %rdx
	testq	%r8, %r8
	movq	%r8, %rax
	vmovups	%zmm0, 96(%rsp)
	cmovs	%rdx, %rax
	leaq	254(%r8), %rcx
	vmovups	%zmm0, 160(%rsp)
	vmovups	%zmm0, 224(%rsp)
	vmovups	%zmm0, 288(%rsp)
	movq	%rax, %r10
	vmovups	%zmm0, 352(%rsp)
	sarq	$7, %r10
	testq	%rdx, %rdx
	vmovups	%zmm0, 416(%rsp)
	cmovns	%rdx, %rcx
	andq	$-128, %rax
	sarq	$7, %rcx
	cmpq	%rax, %r8
	jle	.L2109
	movq	%rax, %rdx
	vpxor	%xmm1, %xmm1, %xmm1
	negq	%rdx
	leaq	-56(%rsp,%rdx,4), %r9
	.p2align 4,,10
	.p2align 3
.L2108:
	movzwl	(%rsi,%rax,2), %edx
	vmovdqu8	%xmm1, -86(%rsp)
	vmovdqu8	%xmm1, -72(%rsp)
	movw	%dx, -88(%rsp)
	vpmovzxwd	-88(%rsp), %zmm0
	vpslld	$16, %zmm0, %zmm0
	vmovss	%xmm0, 24(%r9,%rax,4)
	addq	$1, %rax
	cmpq	%rax, %r8
	jne	.L2108
.L2109:
	xorl	%eax, %eax
	testq	%r8, %r8
	jle	.L2104
	movq	8(%rdi), %rax
	movq	(%rax), %r9
	movq	16(%rdi), %rax
	vmovss	(%rax), %xmm3
	vbroadcastss	%xmm3, %zmm4
	cmpq	$127, %r8
	jle	.L2116
	cmpq	%rcx, %r10
	movl	$1, %edi
	vpternlogd	$0xFF, %zmm5, %zmm5, %zmm5
	cmovg	%rcx, %r10
	vpbroadcastd	%edi, %zmm6
	xorl	%eax, %eax
	xorl	%edx, %edx
	.p2align 4,,10
	.p2align 3
.L2112:
	vmovss	(%r9,%rdx,4), %xmm0
	vucomiss	%xmm3, %xmm0
	jbe	.L2111
	vpmovzxwd	(%rsi), %zmm0
	vpmovzxwd	32(%rsi), %zmm1
	vpslld	$16, %zmm0, %zmm0
	vpslld	$16, %zmm1, %zmm1
	vcmpps	$1, %zmm0, %zmm4, %k1
	vmovdqa32	%zmm6, %zmm0{%k1}{z}
	vcmpps	$1, %zmm1, %zmm4, %k1
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm0, %zmm0
	vpmovzxwd	64(%rsi), %zmm1
	vpslld	$16, %zmm1, %zmm1
	vcmpps	$1, %zmm1, %zmm4, %k1
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm0, %zmm0
	vpmovzxwd	96(%rsi), %zmm1
	vpslld	$16, %zmm1, %zmm1
	vcmpps	$1, %zmm1, %zmm4, %k1
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm0, %zmm0
	vpmovzxwd	128(%rsi), %zmm1
	vpslld	$16, %zmm1, %zmm1
	vcmpps	$1, %zmm1, %zmm4, %k1
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm0, %zmm0
	vpmovzxwd	160(%rsi), %zmm1
	vpslld	$16, %zmm1, %zmm1
	vcmpps	$1, %zmm1, %zmm4, %k1
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm0, %zmm0
	vpmovzxwd	192(%rsi), %zmm1
	vpslld	$16, %zmm1, %zmm1
	vcmpps	$1, %zmm1, %zmm4, %k1
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm0, %zmm0
	vpmovzxwd	224(%rsi), %zmm1
	vpslld	$16, %zmm1, %zmm1
	vcmpps	$1, %zmm1, %zmm4, %k1
	vmovdqa32	%zmm5, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm0, %zmm0
	vextracti32x4	$1, %ymm0, %xmm7
	vmovd	%xmm0, %edi
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vpextrd	$1, %xmm0, %eax
	cltq
	addq	%rdi, %rax
	vpextrd	$2, %xmm0, %edi
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vpextrd	$3, %xmm0, %eax
	cltq
	addq	%rdi, %rax
	vmovd	%xmm7, %edi
	valignd	$5, %ymm0, %ymm0, %ymm7
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vmovd	%xmm7, %eax
	valignd	$6, %ymm0, %ymm0, %ymm7
	cltq
	addq	%rdi, %rax
	vmovd	%xmm7, %edi
	valignd	$7, %ymm0, %ymm0, %ymm7
	movslq	%edi, %rdi
	vextracti32x8	$0x1, %zmm0, %ymm0
	valignd	$5, %ymm0, %ymm0, %ymm2
	addq	%rax, %rdi
	vmovd	%xmm7, %eax
	vextracti32x4	$1, %ymm0, %xmm7
	cltq
	addq	%rdi, %rax
	vmovd	%xmm0, %edi
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vpextrd	$1, %xmm0, %eax
	cltq
	addq	%rdi, %rax
	vpextrd	$2, %xmm0, %edi
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vpextrd	$3, %xmm0, %eax
	cltq
	addq	%rdi, %rax
	vmovd	%xmm7, %edi
	valignd	$6, %ymm0, %ymm0, %ymm7
	movslq	%edi, %rdi
	addq	%rdi, %rax
	vmovd	%xmm2, %edi
	valignd	$7, %ymm0, %ymm0, %ymm2
	movslq	%edi, %rdi
	addq	%rax, %rdi
	vmovd	%xmm7, %eax
	cltq
	addq	%rax, %rdi
	vmovd	%xmm2, %eax
	cltq
	addq	%rdi, %rax
.L2111:
	addq	$1, %rdx
	addq	$256, %rsi
	cmpq	%r10, %rdx
	jl	.L2112
	cmpq	%rcx, %rdx
	jge	.L2104
.L2110:
	vpternlogd	$0xFF, %zmm0, %zmm0, %zmm0
	movl	$1, %esi
	vcmpps	$1, 352(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm1{%k1}{z}
	vcmpps	$1, 288(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm5{%k1}{z}
	vcmpps	$1, 224(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm6{%k1}{z}
	vcmpps	$1, 160(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm7{%k1}{z}
	vcmpps	$1, 96(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm8{%k1}{z}
	vcmpps	$1, 32(%rsp), %zmm4, %k1
	vmovdqa32	%zmm0, %zmm9{%k1}{z}
	vcmpps	$1, -32(%rsp), %zmm4, %k1
	vpbroadcastd	%esi, %zmm2{%k1}{z}
	vcmpps	$1, 416(%rsp), %zmm4, %k1
	vpsubd	%zmm9, %zmm2, %zmm2
	vpsubd	%zmm8, %zmm2, %zmm2
	vpsubd	%zmm7, %zmm2, %zmm2
	vpsubd	%zmm6, %zmm2, %zmm2
	vpsubd	%zmm5, %zmm2, %zmm2
	vpsubd	%zmm1, %zmm2, %zmm2
	vmovdqa32	%zmm0, %zmm1{%k1}{z}
	vpsubd	%zmm1, %zmm2, %zmm2
	vmovd	%xmm2, %r8d
	vpextrd	$1, %xmm2, %edi
	vmovdqa	%ymm2, %ymm4
	vmovdqa	%xmm2, %xmm5
	movslq	%r8d, %r8
	movslq	%edi, %rdi
	.p2align 4,,10
	.p2align 3
.L2114:
	vmovss	(%r9,%rdx,4), %xmm0
	vucomiss	%xmm3, %xmm0
	jbe	.L2113
	vextracti32x4	$1, %ymm4, %xmm6
	addq	%r8, %rax
	vpextrd	$2, %xmm5, %esi
	vextracti32x8	$0x1, %zmm2, %ymm1
	valignd	$6, %ymm1, %ymm1, %ymm7
	addq	%rdi, %rax
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vpextrd	$3, %xmm5, %eax
	cltq
	addq	%rsi, %rax
	vmovd	%xmm6, %esi
	valignd	$5, %ymm4, %ymm4, %ymm6
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vmovd	%xmm6, %eax
	valignd	$6, %ymm4, %ymm4, %ymm6
	cltq
	addq	%rsi, %rax
	vmovd	%xmm6, %esi
	valignd	$7, %ymm4, %ymm4, %ymm6
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vmovd	%xmm6, %eax
	vextracti32x4	$1, %ymm1, %xmm6
	cltq
	addq	%rsi, %rax
	vmovd	%xmm1, %esi
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vpextrd	$1, %xmm1, %eax
	cltq
	addq	%rsi, %rax
	vpextrd	$2, %xmm1, %esi
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vpextrd	$3, %xmm1, %eax
	cltq
	addq	%rsi, %rax
	vmovd	%xmm6, %esi
	valignd	$5, %ymm1, %ymm1, %ymm6
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vmovd	%xmm6, %eax
	valignd	$7, %ymm1, %ymm1, %ymm6
	cltq
	addq	%rsi, %rax
	vmovd	%xmm7, %esi
	movslq	%esi, %rsi
	addq	%rax, %rsi
	vmovd	%xmm6, %eax
	cltq
	addq	%rsi, %rax
.L2113:
	addq	$1, %rdx
	cmpq	%rdx, %rcx
	jg	.L2114
.L2104:
	vzeroupper
	leave
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L2116:
	.cfi_restore_state
	xorl	%eax, %eax
	xorl	%edx, %edx
	jmp	.L2110
	.cfi_endproc
.LFE7952:
	.size	_ZZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEfENKUlT_E_clINS0_8BFloat16EEEDaS7_.constprop.0, .-_ZZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEfENKUlT_E_clINS0_8BFloat16EEEDaS7_.constprop.0
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEf, @function
_ZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEf:
.LFB6861:
	.cfi_startproc
	subq	$56, %rsp
	.cfi_def_cfa_offset 64
	movl	8(%rdi), %eax
	leaq	12(%rsp), %rdx
	movq	%rdi, 16(%rsp)
	movq	%rsi, 24(%rsp)
	movq	%rdx, 32(%rsp)
	vmovss	%xmm0, 12(%rsp)
	cmpl	$1, %eax
	je	.L2122
	cmpl	$2, %eax
	je	.L2123
	leaq	16(%rsp), %rdi
	call	_ZZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEfENKUlT_E_clINS0_7Float32EEEDaS7_.constprop.0
	addq	$56, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L2122:
	.cfi_restore_state
	leaq	16(%rsp), %rdi
	call	_ZZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEfENKUlT_E_clINS0_7Float16EEEDaS7_.constprop.0
	addq	$56, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L2123:
	.cfi_restore_state
	leaq	16(%rsp), %rdi
	call	_ZZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEfENKUlT_E_clINS0_8BFloat16EEEDaS7_.constprop.0
	addq	$56, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
.LFE6861:
	.size	_ZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEf, .-_ZN10torchpaged12_GLOBAL__N_113count_greaterERKNS_8LogitRowERKNS_12LogitSummaryEf
	.align 2
	.p2align 4
	.type	_ZZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenEENKUlT_E_clINS0_7Float16EEEDaS9_.constprop.0, @function
_ZZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenEENKUlT_E_clINS0_7Float16EEEDaS9_.constprop.0:
.LFB7953:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	movq	%rdi, %r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	subq	$520, %rsp
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	vbroadcastss	.LC1(%rip), %zmm0
	movq	(%rdi), %rdx
	movq	16(%rdx), %rax
	movq	(%rdx), %rbx
	vmovups	%zmm0, -32(%rsp)
	vmovups	%zmm0, 32(%rsp)
	leaq	127(%rax), %rdx
	testq	%rax, %rax
	movq	%rax, %r15
	movq	%rbx, -56(%rsp)
	cmovs	%rdx, %r15
	leaq	254(%rax), %r9
	vmovups	%zmm0, 96(%rsp)
	vmovups	%zmm0, 160(%rsp)
	vmovups	%zmm0, 224(%rsp)
	sarq	$7, %r15
	testq	%rdx, %rdx
	cmovns	%rdx, %r9
	movq	%r15, %rdx
	movq	%r15, -48(%rsp)
	vmovups	%zmm0, 288(%rsp)
	salq	$7, %rdx
	vmovups	%zmm0, 352(%rsp)
	sarq	$7, %r9
	movq	%r9, -40(%rsp)
	vmovups	%zmm0, 416(%rsp)
	cmpq	%rdx, %rax
	jle	.L2133
	movq	%rdx, %rcx
	vpxor	%xmm1, %xmm1, %xmm1
	negq	%rcx
	leaq	-56(%rsp,%rcx,4), %rsi
	.p2align 4,,10
	.p2align 3
.L2132:
	movzwl	(%rbx,%rdx,2), %ecx
	vmovdqu8	%xmm1, -86(%rsp)
	vmovdqu8	%xmm1, -72(%rsp)
	movw	%cx, -88(%rsp)
	vcvtph2ps	-88(%rsp), %zmm0
	vmovss	%xmm0, 24(%rsi,%rdx,4)
	addq	$1, %rdx
	cmpq	%rdx, %rax
	jne	.L2132
.L2133:
	xorl	%edx, %edx
	testq	%rax, %rax
	jle	.L2128
	movq	8(%r13), %rdx
	movq	16(%r13), %rsi
	movq	(%rdx), %r14
	cmpq	$127, %rax
	jle	.L2174
	cmpq	%r9, %r15
	movl	$143, %r11d
	vpternlogd	$0xFF, %zmm4, %zmm4, %zmm4
	cmovg	%r9, %r15
	xorl	%r12d, %r12d
	xorl	%edx, %edx
	xorl	%r8d, %r8d
	.p2align 4,,10
	.p2align 3
.L2153:
	vmovss	(%r14,%r8,4), %xmm0
	vucomiss	(%rsi), %xmm0
	jnb	.L2379
.L2135:
	addq	$1, %r8
	subq	$-128, %r11
	subq	$-128, %r12
	addq	$256, %rbx
	cmpq	%r15, %r8
	jl	.L2153
	cmpq	%r9, %r8
	jge	.L2128
.L2134:
	movq	%r8, %rbx
	leaq	480(%rsp), %r11
	vpternlogd	$0xFF, %zmm4, %zmm4, %zmm4
	salq	$7, %rbx
	jmp	.L2172
	.p2align 4,,10
	.p2align 3
.L2154:
	addq	$1, %r8
	subq	$-128, %rbx
	cmpq	%r8, %r9
	jle	.L2128
.L2172:
	vmovss	(%r14,%r8,4), %xmm0
	vucomiss	(%rsi), %xmm0
	jb	.L2154
	leaq	-32(%rsp), %rdi
	movl	%ebx, %r10d
	movq	%rbx, %rcx
	jmp	.L2171
	.p2align 4,,10
	.p2align 3
.L2155:
	addq	$64, %rdi
	addq	$16, %rcx
	addl	$16, %r10d
	cmpq	%rdi, %r11
	je	.L2154
.L2171:
	vmovss	(%rsi), %xmm0
	vmovups	(%rdi), %zmm2
	vbroadcastss	%xmm0, %zmm1
	vcmpps	$2, %zmm2, %zmm1, %k1
	vmovdqa32	%zmm4, %zmm1{%k1}{z}
	vpmovd2m	%zmm1, %k0
	kortestw	%k0, %k0
	je	.L2155
	vmovaps	%ymm2, %ymm1
	cmpq	%rcx, %rax
	jle	.L2156
	vcomiss	%xmm0, %xmm2
	jb	.L2156
	movq	24(%r13), %r12
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r10d, 4(%r12)
	vmovss	%xmm2, (%r12)
	vmovss	(%rsi), %xmm0
.L2156:
	leaq	1(%rcx), %r12
	vshufps	$85, %xmm1, %xmm1, %xmm3
	cmpq	%r12, %rax
	jle	.L2157
	vcomiss	%xmm0, %xmm3
	jb	.L2157
	movq	24(%r13), %r12
	leal	1(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm3, (%r12)
	vmovss	(%rsi), %xmm0
.L2157:
	leaq	2(%rcx), %r12
	vunpckhps	%xmm1, %xmm1, %xmm3
	cmpq	%r12, %rax
	jle	.L2158
	vcomiss	%xmm0, %xmm3
	jb	.L2158
	movq	24(%r13), %r12
	leal	2(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm3, (%r12)
	vmovss	(%rsi), %xmm0
.L2158:
	leaq	3(%rcx), %r12
	vshufps	$255, %xmm1, %xmm1, %xmm3
	cmpq	%r12, %rax
	jle	.L2159
	vcomiss	%xmm0, %xmm3
	jb	.L2159
	movq	24(%r13), %r12
	leal	3(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm3, (%r12)
	vmovss	(%rsi), %xmm0
.L2159:
	vextractf32x4	$1, %ymm1, %xmm3
	leaq	4(%rcx), %r12
	cmpq	%r12, %rax
	jle	.L2160
	vcomiss	%xmm0, %xmm3
	jb	.L2160
	movq	24(%r13), %r12
	leal	4(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm3, (%r12)
	vmovss	(%rsi), %xmm0
.L2160:
	valignd	$5, %ymm1, %ymm1, %ymm3
	leaq	5(%rcx), %r12
	cmpq	%r12, %rax
	jle	.L2161
	vcomiss	%xmm0, %xmm3
	jb	.L2161
	movq	24(%r13), %r12
	leal	5(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm3, (%r12)
	vmovss	(%rsi), %xmm0
.L2161:
	valignd	$6, %ymm1, %ymm1, %ymm3
	leaq	6(%rcx), %r12
	cmpq	%r12, %rax
	jle	.L2162
	vcomiss	%xmm0, %xmm3
	jb	.L2162
	movq	24(%r13), %r12
	leal	6(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm3, (%r12)
	vmovss	(%rsi), %xmm0
.L2162:
	valignd	$7, %ymm1, %ymm1, %ymm1
	leaq	7(%rcx), %r12
	cmpq	%r12, %rax
	jle	.L2163
	vcomiss	%xmm0, %xmm1
	jb	.L2163
	movq	24(%r13), %r12
	leal	7(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm1, (%r12)
	vmovss	(%rsi), %xmm0
.L2163:
	leaq	8(%rcx), %r12
	vextractf32x8	$0x1, %zmm2, %ymm1
	vextractf32x4	$2, %zmm2, %xmm2
	cmpq	%r12, %rax
	jle	.L2164
	vcomiss	%xmm0, %xmm2
	jb	.L2164
	movq	24(%r13), %r12
	leal	8(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm2, (%r12)
	vmovss	(%rsi), %xmm0
.L2164:
	leaq	9(%rcx), %r12
	vshufps	$85, %xmm1, %xmm1, %xmm2
	cmpq	%r12, %rax
	jle	.L2165
	vcomiss	%xmm0, %xmm2
	jb	.L2165
	movq	24(%r13), %r12
	leal	9(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm2, (%r12)
	vmovss	(%rsi), %xmm0
.L2165:
	leaq	10(%rcx), %r12
	vunpckhps	%xmm1, %xmm1, %xmm2
	cmpq	%r12, %rax
	jle	.L2166
	vcomiss	%xmm0, %xmm2
	jb	.L2166
	movq	24(%r13), %r12
	leal	10(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm2, (%r12)
	vmovss	(%rsi), %xmm0
.L2166:
	leaq	11(%rcx), %r12
	vshufps	$255, %xmm1, %xmm1, %xmm2
	cmpq	%r12, %rax
	jle	.L2167
	vcomiss	%xmm0, %xmm2
	jb	.L2167
	movq	24(%r13), %r12
	leal	11(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm2, (%r12)
	vmovss	(%rsi), %xmm0
.L2167:
	vextractf32x4	$1, %ymm1, %xmm2
	leaq	12(%rcx), %r12
	cmpq	%r12, %rax
	jle	.L2168
	vcomiss	%xmm0, %xmm2
	jb	.L2168
	movq	24(%r13), %r12
	leal	12(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm2, (%r12)
	vmovss	(%rsi), %xmm0
.L2168:
	valignd	$5, %ymm1, %ymm1, %ymm2
	leaq	13(%rcx), %r12
	cmpq	%r12, %rax
	jle	.L2169
	vcomiss	%xmm0, %xmm2
	jb	.L2169
	movq	24(%r13), %r12
	leal	13(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm2, (%r12)
	vmovss	(%rsi), %xmm0
.L2169:
	valignd	$6, %ymm1, %ymm1, %ymm2
	leaq	14(%rcx), %r12
	cmpq	%r12, %rax
	jle	.L2170
	vcomiss	%xmm0, %xmm2
	jb	.L2170
	movq	24(%r13), %r12
	leal	14(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm2, (%r12)
	vmovss	(%rsi), %xmm0
.L2170:
	valignd	$7, %ymm1, %ymm1, %ymm1
	leaq	15(%rcx), %r12
	cmpq	%r12, %rax
	jle	.L2155
	vcomiss	%xmm0, %xmm1
	jb	.L2155
	movq	24(%r13), %r12
	leal	15(%r10), %r15d
	movq	(%r12), %r12
	leaq	(%r12,%rdx,8), %r12
	addq	$1, %rdx
	movl	%r15d, 4(%r12)
	vmovss	%xmm1, (%r12)
	jmp	.L2155
.L2128:
	vzeroupper
	leaq	-40(%rbp), %rsp
	movq	%rdx, %rax
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L2174:
	.cfi_restore_state
	xorl	%edx, %edx
	xorl	%r8d, %r8d
	jmp	.L2134
.L2379:
	movq	%r8, -96(%rsp)
	leaq	-128(%r11), %rcx
	movl	%r12d, %edi
	movq	%rbx, %r10
	vmovq	%r14, %xmm5
	jmp	.L2152
	.p2align 4,,10
	.p2align 3
.L2136:
	addq	$16, %rcx
	addq	$32, %r10
	addl	$16, %edi
	cmpq	%rcx, %r11
	je	.L2380
.L2152:
	vmovss	(%rsi), %xmm0
	vcvtph2ps	(%r10), %zmm2
	vbroadcastss	%xmm0, %zmm1
	vcmpps	$2, %zmm2, %zmm1, %k1
	vmovdqa32	%zmm4, %zmm1{%k1}{z}
	vpmovd2m	%zmm1, %k0
	kortestw	%k0, %k0
	je	.L2136
	leaq	-15(%rcx), %r14
	vmovaps	%ymm2, %ymm1
	cmpq	%r14, %rax
	jle	.L2137
	vcomiss	%xmm0, %xmm2
	jb	.L2137
	movq	24(%r13), %r14
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%edi, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rsi), %xmm0
.L2137:
	leaq	-14(%rcx), %r14
	vshufps	$85, %xmm1, %xmm1, %xmm3
	cmpq	%r14, %rax
	jle	.L2138
	vcomiss	%xmm0, %xmm3
	jb	.L2138
	movq	24(%r13), %r14
	leal	1(%rdi), %r8d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rsi), %xmm0
.L2138:
	leaq	-13(%rcx), %r14
	vunpckhps	%xmm1, %xmm1, %xmm3
	cmpq	%r14, %rax
	jle	.L2139
	vcomiss	%xmm0, %xmm3
	jb	.L2139
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	2(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rsi), %xmm0
.L2139:
	leaq	-12(%rcx), %r14
	vshufps	$255, %xmm1, %xmm1, %xmm3
	cmpq	%r14, %rax
	jle	.L2140
	vcomiss	%xmm0, %xmm3
	jb	.L2140
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	3(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rsi), %xmm0
.L2140:
	vextractf32x4	$1, %ymm1, %xmm3
	leaq	-11(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L2141
	vcomiss	%xmm0, %xmm3
	jb	.L2141
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	4(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rsi), %xmm0
.L2141:
	valignd	$5, %ymm1, %ymm1, %ymm3
	leaq	-10(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L2142
	vcomiss	%xmm0, %xmm3
	jb	.L2142
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	5(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rsi), %xmm0
.L2142:
	valignd	$6, %ymm1, %ymm1, %ymm3
	leaq	-9(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L2143
	vcomiss	%xmm0, %xmm3
	jb	.L2143
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	6(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rsi), %xmm0
.L2143:
	valignd	$7, %ymm1, %ymm1, %ymm1
	leaq	-8(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L2144
	vcomiss	%xmm0, %xmm1
	jb	.L2144
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	7(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm1, (%r14)
	vmovss	(%rsi), %xmm0
.L2144:
	leaq	-7(%rcx), %r14
	vextractf32x8	$0x1, %zmm2, %ymm1
	vextractf32x4	$2, %zmm2, %xmm2
	cmpq	%r14, %rax
	jle	.L2145
	vcomiss	%xmm0, %xmm2
	jb	.L2145
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	8(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rsi), %xmm0
.L2145:
	leaq	-6(%rcx), %r14
	vshufps	$85, %xmm1, %xmm1, %xmm2
	cmpq	%r14, %rax
	jle	.L2146
	vcomiss	%xmm0, %xmm2
	jb	.L2146
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	9(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rsi), %xmm0
.L2146:
	leaq	-5(%rcx), %r14
	vunpckhps	%xmm1, %xmm1, %xmm2
	cmpq	%r14, %rax
	jle	.L2147
	vcomiss	%xmm0, %xmm2
	jb	.L2147
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	10(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rsi), %xmm0
.L2147:
	leaq	-4(%rcx), %r14
	vshufps	$255, %xmm1, %xmm1, %xmm2
	cmpq	%r14, %rax
	jle	.L2148
	vcomiss	%xmm0, %xmm2
	jb	.L2148
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	11(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rsi), %xmm0
.L2148:
	vextractf32x4	$1, %ymm1, %xmm2
	leaq	-3(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L2149
	vcomiss	%xmm0, %xmm2
	jb	.L2149
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	12(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rsi), %xmm0
.L2149:
	valignd	$5, %ymm1, %ymm1, %ymm2
	leaq	-2(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L2150
	vcomiss	%xmm0, %xmm2
	jb	.L2150
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	13(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rsi), %xmm0
.L2150:
	valignd	$6, %ymm1, %ymm1, %ymm2
	leaq	-1(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L2151
	vcomiss	%xmm0, %xmm2
	jb	.L2151
	movq	24(%r13), %r8
	movq	(%r8), %r14
	leal	14(%rdi), %r8d
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rsi), %xmm0
.L2151:
	valignd	$7, %ymm1, %ymm1, %ymm1
	cmpq	%rcx, %rax
	jle	.L2136
	vcomiss	%xmm0, %xmm1
	jb	.L2136
	movq	24(%r13), %r8
	addq	$16, %rcx
	addq	$32, %r10
	movq	(%r8), %r14
	leal	15(%rdi), %r8d
	addl	$16, %edi
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r8d, 4(%r14)
	vmovss	%xmm1, (%r14)
	cmpq	%rcx, %r11
	jne	.L2152
.L2380:
	movq	-96(%rsp), %r8
	vmovq	%xmm5, %r14
	jmp	.L2135
	.cfi_endproc
.LFE7953:
	.size	_ZZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenEENKUlT_E_clINS0_7Float16EEEDaS9_.constprop.0, .-_ZZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenEENKUlT_E_clINS0_7Float16EEEDaS9_.constprop.0
	.align 2
	.p2align 4
	.type	_ZZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenEENKUlT_E_clINS0_8BFloat16EEEDaS9_.constprop.0, @function
_ZZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenEENKUlT_E_clINS0_8BFloat16EEEDaS9_.constprop.0:
.LFB7954:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	movq	%rdi, %r12
	pushq	%rbx
	andq	$-64, %rsp
	subq	$520, %rsp
	.cfi_offset 3, -56
	vbroadcastss	.LC1(%rip), %zmm0
	movq	(%rdi), %rdx
	movq	16(%rdx), %rax
	movq	(%rdx), %r10
	vmovups	%zmm0, -32(%rsp)
	vmovups	%zmm0, 32(%rsp)
	leaq	127(%rax), %rdx
	testq	%rax, %rax
	movq	%rax, %r14
	movq	%r10, -56(%rsp)
	cmovs	%rdx, %r14
	leaq	254(%rax), %rsi
	vmovups	%zmm0, 96(%rsp)
	vmovups	%zmm0, 160(%rsp)
	vmovups	%zmm0, 224(%rsp)
	sarq	$7, %r14
	testq	%rdx, %rdx
	cmovns	%rdx, %rsi
	movq	%r14, %rdx
	movq	%r14, -48(%rsp)
	vmovups	%zmm0, 288(%rsp)
	salq	$7, %rdx
	vmovups	%zmm0, 352(%rsp)
	sarq	$7, %rsi
	movq	%rsi, -40(%rsp)
	vmovups	%zmm0, 416(%rsp)
	cmpq	%rdx, %rax
	jle	.L2386
	movq	%rdx, %rcx
	vpxor	%xmm1, %xmm1, %xmm1
	negq	%rcx
	leaq	-56(%rsp,%rcx,4), %rdi
	.p2align 4,,10
	.p2align 3
.L2385:
	movzwl	(%r10,%rdx,2), %ecx
	vmovdqu8	%xmm1, -86(%rsp)
	vmovdqu8	%xmm1, -72(%rsp)
	movw	%cx, -88(%rsp)
	vpmovzxwd	-88(%rsp), %zmm0
	vpslld	$16, %zmm0, %zmm0
	vmovss	%xmm0, 24(%rdi,%rdx,4)
	addq	$1, %rdx
	cmpq	%rdx, %rax
	jne	.L2385
.L2386:
	xorl	%edx, %edx
	testq	%rax, %rax
	jle	.L2381
	movq	8(%r12), %rdx
	movq	16(%r12), %rbx
	movq	(%rdx), %r13
	cmpq	$127, %rax
	jle	.L2427
	cmpq	%rsi, %r14
	movl	$143, %r9d
	vpternlogd	$0xFF, %zmm4, %zmm4, %zmm4
	cmovg	%rsi, %r14
	xorl	%r11d, %r11d
	xorl	%edx, %edx
	xorl	%r8d, %r8d
	.p2align 4,,10
	.p2align 3
.L2406:
	vmovss	0(%r13,%r8,4), %xmm0
	vucomiss	(%rbx), %xmm0
	jnb	.L2632
.L2388:
	addq	$1, %r8
	subq	$-128, %r9
	subq	$-128, %r11
	addq	$256, %r10
	cmpq	%r14, %r8
	jl	.L2406
	cmpq	%rsi, %r8
	jge	.L2381
.L2387:
	movq	%r8, %r11
	leaq	480(%rsp), %r10
	vpternlogd	$0xFF, %zmm4, %zmm4, %zmm4
	salq	$7, %r11
	jmp	.L2425
	.p2align 4,,10
	.p2align 3
.L2407:
	addq	$1, %r8
	subq	$-128, %r11
	cmpq	%r8, %rsi
	jle	.L2381
.L2425:
	vmovss	0(%r13,%r8,4), %xmm0
	vucomiss	(%rbx), %xmm0
	jb	.L2407
	leaq	-32(%rsp), %rdi
	movl	%r11d, %r9d
	movq	%r11, %rcx
	jmp	.L2424
	.p2align 4,,10
	.p2align 3
.L2408:
	addq	$64, %rdi
	addq	$16, %rcx
	addl	$16, %r9d
	cmpq	%rdi, %r10
	je	.L2407
.L2424:
	vmovss	(%rbx), %xmm0
	vmovups	(%rdi), %zmm2
	vbroadcastss	%xmm0, %zmm1
	vcmpps	$2, %zmm2, %zmm1, %k1
	vmovdqa32	%zmm4, %zmm1{%k1}{z}
	vpmovd2m	%zmm1, %k0
	kortestw	%k0, %k0
	je	.L2408
	vmovaps	%ymm2, %ymm1
	cmpq	%rcx, %rax
	jle	.L2409
	vcomiss	%xmm0, %xmm2
	jb	.L2409
	movq	24(%r12), %r14
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r9d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rbx), %xmm0
.L2409:
	leaq	1(%rcx), %r14
	vshufps	$85, %xmm1, %xmm1, %xmm3
	cmpq	%r14, %rax
	jle	.L2410
	vcomiss	%xmm0, %xmm3
	jb	.L2410
	movq	24(%r12), %r14
	leal	1(%r9), %r15d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r15d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rbx), %xmm0
.L2410:
	leaq	2(%rcx), %r14
	vunpckhps	%xmm1, %xmm1, %xmm3
	cmpq	%r14, %rax
	jle	.L2411
	vcomiss	%xmm0, %xmm3
	jb	.L2411
	movq	24(%r12), %r14
	leal	2(%r9), %r15d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r15d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rbx), %xmm0
.L2411:
	leaq	3(%rcx), %r14
	vshufps	$255, %xmm1, %xmm1, %xmm3
	cmpq	%r14, %rax
	jle	.L2412
	vcomiss	%xmm0, %xmm3
	jb	.L2412
	movq	24(%r12), %r14
	leal	3(%r9), %r15d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r15d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rbx), %xmm0
.L2412:
	vextractf32x4	$1, %ymm1, %xmm3
	leaq	4(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L2413
	vcomiss	%xmm0, %xmm3
	jb	.L2413
	movq	24(%r12), %r14
	leal	4(%r9), %r15d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r15d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rbx), %xmm0
.L2413:
	valignd	$5, %ymm1, %ymm1, %ymm3
	leaq	5(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L2414
	vcomiss	%xmm0, %xmm3
	jb	.L2414
	movq	24(%r12), %r14
	leal	5(%r9), %r15d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r15d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rbx), %xmm0
.L2414:
	valignd	$6, %ymm1, %ymm1, %ymm3
	leaq	6(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L2415
	vcomiss	%xmm0, %xmm3
	jb	.L2415
	movq	24(%r12), %r14
	leal	6(%r9), %r15d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r15d, 4(%r14)
	vmovss	%xmm3, (%r14)
	vmovss	(%rbx), %xmm0
.L2415:
	valignd	$7, %ymm1, %ymm1, %ymm1
	leaq	7(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L2416
	vcomiss	%xmm0, %xmm1
	jb	.L2416
	movq	24(%r12), %r14
	leal	7(%r9), %r15d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r15d, 4(%r14)
	vmovss	%xmm1, (%r14)
	vmovss	(%rbx), %xmm0
.L2416:
	leaq	8(%rcx), %r14
	vextractf32x8	$0x1, %zmm2, %ymm1
	vextractf32x4	$2, %zmm2, %xmm2
	cmpq	%r14, %rax
	jle	.L2417
	vcomiss	%xmm0, %xmm2
	jb	.L2417
	movq	24(%r12), %r14
	leal	8(%r9), %r15d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r15d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rbx), %xmm0
.L2417:
	leaq	9(%rcx), %r14
	vshufps	$85, %xmm1, %xmm1, %xmm2
	cmpq	%r14, %rax
	jle	.L2418
	vcomiss	%xmm0, %xmm2
	jb	.L2418
	movq	24(%r12), %r14
	leal	9(%r9), %r15d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r15d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rbx), %xmm0
.L2418:
	leaq	10(%rcx), %r14
	vunpckhps	%xmm1, %xmm1, %xmm2
	cmpq	%r14, %rax
	jle	.L2419
	vcomiss	%xmm0, %xmm2
	jb	.L2419
	movq	24(%r12), %r14
	leal	10(%r9), %r15d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r15d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rbx), %xmm0
.L2419:
	leaq	11(%rcx), %r14
	vshufps	$255, %xmm1, %xmm1, %xmm2
	cmpq	%r14, %rax
	jle	.L2420
	vcomiss	%xmm0, %xmm2
	jb	.L2420
	movq	24(%r12), %r14
	leal	11(%r9), %r15d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r15d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rbx), %xmm0
.L2420:
	vextractf32x4	$1, %ymm1, %xmm2
	leaq	12(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L2421
	vcomiss	%xmm0, %xmm2
	jb	.L2421
	movq	24(%r12), %r14
	leal	12(%r9), %r15d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r15d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rbx), %xmm0
.L2421:
	valignd	$5, %ymm1, %ymm1, %ymm2
	leaq	13(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L2422
	vcomiss	%xmm0, %xmm2
	jb	.L2422
	movq	24(%r12), %r14
	leal	13(%r9), %r15d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r15d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rbx), %xmm0
.L2422:
	valignd	$6, %ymm1, %ymm1, %ymm2
	leaq	14(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L2423
	vcomiss	%xmm0, %xmm2
	jb	.L2423
	movq	24(%r12), %r14
	leal	14(%r9), %r15d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r15d, 4(%r14)
	vmovss	%xmm2, (%r14)
	vmovss	(%rbx), %xmm0
.L2423:
	valignd	$7, %ymm1, %ymm1, %ymm1
	leaq	15(%rcx), %r14
	cmpq	%r14, %rax
	jle	.L2408
	vcomiss	%xmm0, %xmm1
	jb	.L2408
	movq	24(%r12), %r14
	leal	15(%r9), %r15d
	movq	(%r14), %r14
	leaq	(%r14,%rdx,8), %r14
	addq	$1, %rdx
	movl	%r15d, 4(%r14)
	vmovss	%xmm1, (%r14)
	jmp	.L2408
.L2381:
	vzeroupper
	leaq	-40(%rbp), %rsp
	movq	%rdx, %rax
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L2427:
	.cfi_restore_state
	xorl	%edx, %edx
	xorl	%r8d, %r8d
	jmp	.L2387
.L2632:
	movq	%rsi, -96(%rsp)
	leaq	-128(%r9), %rcx
	movl	%r11d, %edi
	movq	%r10, %r15
	vmovq	%r13, %xmm5
	jmp	.L2405
	.p2align 4,,10
	.p2align 3
.L2389:
	addq	$16, %rcx
	addq	$32, %r15
	addl	$16, %edi
	cmpq	%rcx, %r9
	je	.L2633
.L2405:
	vpmovzxwd	(%r15), %zmm1
	vmovss	(%rbx), %xmm0
	vpslld	$16, %zmm1, %zmm1
	vbroadcastss	%xmm0, %zmm2
	vcmpps	$2, %zmm1, %zmm2, %k1
	vmovdqa32	%zmm4, %zmm2{%k1}{z}
	vpmovd2m	%zmm2, %k0
	kortestw	%k0, %k0
	je	.L2389
	leaq	-15(%rcx), %r13
	vmovaps	%ymm1, %ymm2
	cmpq	%r13, %rax
	jle	.L2390
	vcomiss	%xmm0, %xmm1
	jb	.L2390
	movq	24(%r12), %r13
	movq	0(%r13), %r13
	leaq	0(%r13,%rdx,8), %r13
	addq	$1, %rdx
	movl	%edi, 4(%r13)
	vmovss	%xmm1, 0(%r13)
	vmovss	(%rbx), %xmm0
.L2390:
	leaq	-14(%rcx), %r13
	vshufps	$85, %xmm2, %xmm2, %xmm3
	cmpq	%r13, %rax
	jle	.L2391
	vcomiss	%xmm0, %xmm3
	jb	.L2391
	movq	24(%r12), %r13
	leal	1(%rdi), %esi
	movq	0(%r13), %r13
	leaq	0(%r13,%rdx,8), %r13
	addq	$1, %rdx
	movl	%esi, 4(%r13)
	vmovss	%xmm3, 0(%r13)
	vmovss	(%rbx), %xmm0
.L2391:
	leaq	-13(%rcx), %r13
	vunpckhps	%xmm2, %xmm2, %xmm3
	cmpq	%r13, %rax
	jle	.L2392
	vcomiss	%xmm0, %xmm3
	jb	.L2392
	movq	24(%r12), %rsi
	movq	(%rsi), %r13
	leal	2(%rdi), %esi
	leaq	0(%r13,%rdx,8), %r13
	addq	$1, %rdx
	movl	%esi, 4(%r13)
	vmovss	%xmm3, 0(%r13)
	vmovss	(%rbx), %xmm0
.L2392:
	leaq	-12(%rcx), %r13
	vshufps	$255, %xmm2, %xmm2, %xmm3
	cmpq	%r13, %rax
	jle	.L2393
	vcomiss	%xmm0, %xmm3
	jb	.L2393
	movq	24(%r12), %rsi
	movq	(%rsi), %r13
	leal	3(%rdi), %esi
	leaq	0(%r13,%rdx,8), %r13
	addq	$1, %rdx
	movl	%esi, 4(%r13)
	vmovss	%xmm3, 0(%r13)
	vmovss	(%rbx), %xmm0
.L2393:
	vextractf32x4	$1, %ymm2, %xmm3
	leaq	-11(%rcx), %r13
	cmpq	%r13, %rax
	jle	.L2394
	vcomiss	%xmm0, %xmm3
	jb	.L2394
	movq	24(%r12), %rsi
	movq	(%rsi), %r13
	leal	4(%rdi), %esi
	leaq	0(%r13,%rdx,8), %r13
	addq	$1, %rdx
	movl	%esi, 4(%r13)
	vmovss	%xmm3, 0(%r13)
	vmovss	(%rbx), %xmm0
.L2394:
	valignd	$5, %ymm2, %ymm2, %ymm3
	leaq	-10(%rcx), %r13
	cmpq	%r13, %rax
	jle	.L2395
	vcomiss	%xmm0, %xmm3
	jb	.L2395
	movq	24(%r12), %rsi
	movq	(%rsi), %r13
	leal	5(%rdi), %esi
	leaq	0(%r13,%rdx,8), %r13
	addq	$1, %rdx
	movl	%esi, 4(%r13)
	vmovss	%xmm3, 0(%r13)
	vmovss	(%rbx), %xmm0
.L2395:
	valignd	$6, %ymm2, %ymm2, %ymm3
	leaq	-9(%rcx), %r13
	cmpq	%r13, %rax
	jle	.L2396
	vcomiss	%xmm0, %xmm3
	jb	.L2396
	movq	24(%r12), %rsi
	movq	(%rsi), %r13
	leal	6(%rdi), %esi
	leaq	0(%r13,%rdx,8), %r13
	addq	$1, %rdx
	movl	%esi, 4(%r13)
	vmovss	%xmm3, 0(%r13)
	vmovss	(%rbx), %xmm0
.L2396:
	valignd	$7, %ymm2, %ymm2, %ymm2
	leaq	-8(%rcx), %r13
	cmpq	%r13, %rax
	jle	.L2397
	vcomiss	%xmm0, %xmm2
	jb	.L2397
	movq	24(%r12), %rsi
	movq	(%rsi), %r13
	leal	7(%rdi), %esi
	leaq	0(%r13,%rdx,8), %r13
	addq	$1, %rdx
	movl	%esi, 4(%r13)
	vmovss	%xmm2, 0(%r13)
	vmovss	(%rbx), %xmm0
.L2397:
	leaq	-7(%rcx), %r13
	vextractf32x8	$0x1, %zmm1, %ymm2
	vextractf32x4	$2, %zmm1, %xmm1
	cmpq	%r13, %rax
	jle	.L2398
	vcomiss	%xmm0, %xmm1
	jb	.L2398
	movq	24(%r12), %rsi
	movq	(%rsi), %r13
	leal	8(%rdi), %esi
	leaq	0(%r13,%rdx,8), %r13
	addq	$1, %rdx
	movl	%esi, 4(%r13)
	vmovss	%xmm1, 0(%r13)
	vmovss	(%rbx), %xmm0
.L2398:
	leaq	-6(%rcx), %r13
	vshufps	$85, %xmm2, %xmm2, %xmm1
	cmpq	%r13, %rax
	jle	.L2399
	vcomiss	%xmm0, %xmm1
	jb	.L2399
	movq	24(%r12), %rsi
	movq	(%rsi), %r13
	leal	9(%rdi), %esi
	leaq	0(%r13,%rdx,8), %r13
	addq	$1, %rdx
	movl	%esi, 4(%r13)
	vmovss	%xmm1, 0(%r13)
	vmovss	(%rbx), %xmm0
.L2399:
	leaq	-5(%rcx), %r13
	vunpckhps	%xmm2, %xmm2, %xmm1
	cmpq	%r13, %rax
	jle	.L2400
	vcomiss	%xmm0, %xmm1
	jb	.L2400
	movq	24(%r12), %rsi
	movq	(%rsi), %r13
	leal	10(%rdi), %esi
	leaq	0(%r13,%rdx,8), %r13
	addq	$1, %rdx
	movl	%esi, 4(%r13)
	vmovss	%xmm1, 0(%r13)
	vmovss	(%rbx), %xmm0
.L2400:
	leaq	-4(%rcx), %r13
	vshufps	$255, %xmm2, %xmm2, %xmm1
	cmpq	%r13, %rax
	jle	.L2401
	vcomiss	%xmm0, %xmm1
	jb	.L2401
	movq	24(%r12), %rsi
	movq	(%rsi), %r13
	leal	11(%rdi), %esi
	leaq	0(%r13,%rdx,8), %r13
	addq	$1, %rdx
	movl	%esi, 4(%r13)
	vmovss	%xmm1, 0(%r13)
	vmovss	(%rbx), %xmm0
.L2401:
	vextractf32x4	$1, %ymm2, %xmm1
	leaq	-3(%rcx), %r13
	cmpq	%r13, %rax
	jle	.L2402
	vcomiss	%xmm0, %xmm1
	jb	.L2402
	movq	24(%r12), %rsi
	movq	(%rsi), %r13
	leal	12(%rdi), %esi
	leaq	0(%r13,%rdx,8), %r13
	addq	$1, %rdx
	movl	%esi, 4(%r13)
	vmovss	%xmm1, 0(%r13)
	vmovss	(%rbx), %xmm0
.L2402:
	valignd	$5, %ymm2, %ymm2, %ymm1
	leaq	-2(%rcx), %r13
	cmpq	%r13, %rax
	jle	.L2403
	vcomiss	%xmm0, %xmm1
	jb	.L2403
	movq	24(%r12), %rsi
	movq	(%rsi), %r13
	leal	13(%rdi), %esi
	leaq	0(%r13,%rdx,8), %r13
	addq	$1, %rdx
	movl	%esi, 4(%r13)
	vmovss	%xmm1, 0(%r13)
	vmovss	(%rbx), %xmm0
.L2403:
	valignd	$6, %ymm2, %ymm2, %ymm1
	leaq	-1(%rcx), %r13
	cmpq	%r13, %rax
	jle	.L2404
	vcomiss	%xmm0, %xmm1
	jb	.L2404
	movq	24(%r12), %rsi
	movq	(%rsi), %r13
	leal	14(%rdi), %esi
	leaq	0(%r13,%rdx,8), %r13
	addq	$1, %rdx
	movl	%esi, 4(%r13)
	vmovss	%xmm1, 0(%r13)
	vmovss	(%rbx), %xmm0
.L2404:
	valignd	$7, %ymm2, %ymm2, %ymm2
	cmpq	%rcx, %rax
	jle	.L2389
	vcomiss	%xmm0, %xmm2
	jb	.L2389
	movq	24(%r12), %rsi
	addq	$16, %rcx
	addq	$32, %r15
	movq	(%rsi), %r13
	leal	15(%rdi), %esi
	addl	$16, %edi
	leaq	0(%r13,%rdx,8), %r13
	addq	$1, %rdx
	movl	%esi, 4(%r13)
	vmovss	%xmm2, 0(%r13)
	cmpq	%rcx, %r9
	jne	.L2405
.L2633:
	movq	-96(%rsp), %rsi
	vmovq	%xmm5, %r13
	jmp	.L2388
	.cfi_endproc
.LFE7954:
	.size	_ZZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenEENKUlT_E_clINS0_8BFloat16EEEDaS9_.constprop.0, .-_ZZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenEENKUlT_E_clINS0_8BFloat16EEEDaS9_.constprop.0
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenE, @function
_ZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenE:
.LFB6867:
	.cfi_startproc
	subq	$56, %rsp
	.cfi_def_cfa_offset 64
	movl	8(%rdi), %eax
	leaq	12(%rsp), %rcx
	movq	%rdx, (%rsp)
	movq	%rsp, %rdx
	vmovss	%xmm0, 12(%rsp)
	vmovq	%rcx, %xmm0
	vpinsrq	$1, %rdx, %xmm0, %xmm0
	movq	%rdi, 16(%rsp)
	movq	%rsi, 24(%rsp)
	vmovdqa	%xmm0, 32(%rsp)
	cmpl	$1, %eax
	je	.L2635
	cmpl	$2, %eax
	je	.L2636
	leaq	16(%rsp), %rdi
	call	_ZZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenEENKUlT_E_clINS0_7Float32EEEDaS9_.constprop.0
	addq	$56, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L2635:
	.cfi_restore_state
	leaq	16(%rsp), %rdi
	call	_ZZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenEENKUlT_E_clINS0_7Float16EEEDaS9_.constprop.0
	addq	$56, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L2636:
	.cfi_restore_state
	leaq	16(%rsp), %rdi
	call	_ZZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenEENKUlT_E_clINS0_8BFloat16EEEDaS9_.constprop.0
	addq	$56, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
.LFE6867:
	.size	_ZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenE, .-_ZN10torchpaged12_GLOBAL__N_114collect_logitsERKNS_8LogitRowERKNS_12LogitSummaryEfPNS_11RankedTokenE
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_114dequantise_rowEPKcNS_5DTypeEPffl, @function
_ZN10torchpaged12_GLOBAL__N_114dequantise_rowEPKcNS_5DTypeEPffl:
.LFB6639:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	movq	%rcx, %r13
	pushq	%r12
	.cfi_offset 12, -48
	movq	%rdi, %r12
	pushq	%rbx
	.cfi_offset 3, -56
	movq	%rdx, %rbx
	andq	$-64, %rsp
	subq	$256, %rsp
	cmpl	$4, %esi
	je	.L2642
	cmpl	$5, %esi
	je	.L2643
	cmpl	$3, %esi
	je	.L2678
	cmpl	$1, %esi
	je	.L2656
	cmpl	$2, %esi
	je	.L2657
	testq	%rcx, %rcx
	jle	.L2675
	leaq	0(,%rcx,4), %r15
	leaq	-1(%rcx), %rcx
	vbroadcastss	%xmm0, %zmm0
	movl	$15, %r14d
	andq	$-16, %rcx
	addq	$31, %rcx
	jmp	.L2667
	.p2align 4,,10
	.p2align 3
.L2679:
	vmulps	(%r12), %zmm0, %zmm1
	vmovups	%zmm1, (%rbx)
.L2666:
	addq	$16, %r14
	addq	$64, %r12
	addq	$64, %rbx
	subq	$64, %r15
	cmpq	%r14, %rcx
	je	.L2677
.L2667:
	cmpq	%r14, %r13
	jg	.L2679
	movq	%rcx, 64(%rsp)
	movq	%r15, %rdx
	movq	%r12, %rsi
	vpxor	%xmm5, %xmm5, %xmm5
	vmovdqa64	%zmm5, 192(%rsp)
	leaq	192(%rsp), %rdi
	vmovaps	%zmm0, 128(%rsp)
	vzeroupper
	call	memcpy@PLT
	movq	%r15, %rdx
	movq	%rbx, %rdi
	vmovaps	128(%rsp), %zmm0
	movq	%rax, %rsi
	vmulps	192(%rsp), %zmm0, %zmm1
	vmovaps	%zmm1, 192(%rsp)
	vzeroupper
	call	memcpy@PLT
	movq	64(%rsp), %rcx
	vmovaps	128(%rsp), %zmm0
	jmp	.L2666
	.p2align 4,,10
	.p2align 3
.L2642:
	testq	%rcx, %rcx
	jle	.L2675
	leaq	(%rdx,%rcx,4), %rax
	leaq	-1(%rcx), %r8
	vbroadcastss	%xmm0, %zmm6
	xorl	%r14d, %r14d
	movq	%rax, 40(%rsp)
	andq	$-16, %r8
	leaq	192(%rsp), %rax
	movl	$123, %r15d
	movq	%rax, 56(%rsp)
	movl	$127, %eax
	addq	$16, %r8
	vpbroadcastd	%eax, %zmm4
	vmovaps	%zmm6, 128(%rsp)
	vmovdqa32	%zmm4, 64(%rsp)
	jmp	.L2652
	.p2align 4,,10
	.p2align 3
.L2680:
	vpmovzxbd	(%r12,%r14), %zmm1
	vpandd	64(%rsp), %zmm1, %zmm0
	addq	$16, %r14
	addq	$64, %rbx
	vpbroadcastd	%r15d, %zmm2
	movl	$2139095040, %eax
	vpcmpd	$6, %zmm2, %zmm0, %k1
	vpslld	$21, %zmm0, %zmm0
	vmulps	.LC25(%rip), %zmm0, %zmm0
	vpbroadcastd	%eax, %zmm3{%k1}{z}
	movl	$128, %eax
	vpbroadcastd	%eax, %zmm2
	vpandd	%zmm2, %zmm1, %zmm1
	vpslld	$24, %zmm1, %zmm1
	vpternlogd	$254, %zmm1, %zmm3, %zmm0
	vmulps	128(%rsp), %zmm0, %zmm0
	vmovups	%zmm0, -64(%rbx)
	cmpq	%r8, %r14
	je	.L2677
.L2652:
	leaq	15(%r14), %rax
	cmpq	%rax, %r13
	jg	.L2680
	movq	%r8, 48(%rsp)
	vpxor	%xmm0, %xmm0, %xmm0
	movq	%r13, %rdx
	leaq	(%r12,%r14), %rsi
	movq	56(%rsp), %rdi
	subq	%r14, %rdx
	vmovdqa	%xmm0, 192(%rsp)
	vzeroupper
	call	memcpy@PLT
	movl	$2139095040, %eax
	movq	%rbx, %rdi
	vpbroadcastd	%r15d, %zmm2
	movq	40(%rsp), %rdx
	movq	56(%rsp), %rsi
	vpmovzxbd	192(%rsp), %zmm1
	vpandd	64(%rsp), %zmm1, %zmm0
	subq	%rbx, %rdx
	vpcmpd	$6, %zmm2, %zmm0, %k1
	vpslld	$21, %zmm0, %zmm0
	vmulps	.LC25(%rip), %zmm0, %zmm0
	vpbroadcastd	%eax, %zmm3{%k1}{z}
	movl	$128, %eax
	vpbroadcastd	%eax, %zmm2
	vpandd	%zmm2, %zmm1, %zmm1
	vpslld	$24, %zmm1, %zmm1
	vpternlogd	$254, %zmm1, %zmm3, %zmm0
	vmulps	128(%rsp), %zmm0, %zmm0
	vmovaps	%zmm0, 192(%rsp)
	vzeroupper
	call	memcpy@PLT
	addq	$16, %r14
	addq	$64, %rbx
	movq	48(%rsp), %r8
	cmpq	%r8, %r14
	jne	.L2652
	.p2align 4,,10
	.p2align 3
.L2677:
	vzeroupper
.L2675:
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
	.p2align 4,,10
	.p2align 3
.L2678:
	.cfi_restore_state
	testq	%rcx, %rcx
	jle	.L2675
	leaq	(%rdx,%rcx,4), %rax
	leaq	-1(%rcx), %r8
	vbroadcastss	%xmm0, %zmm4
	xorl	%r14d, %r14d
	movq	%rax, 48(%rsp)
	andq	$-16, %r8
	leaq	192(%rsp), %rax
	movl	$2143289344, %r15d
	movq	%rax, 64(%rsp)
	movl	$127, %eax
	addq	$16, %r8
	vmovaps	%zmm4, 128(%rsp)
	vpbroadcastd	%eax, %zmm3
	jmp	.L2648
	.p2align 4,,10
	.p2align 3
.L2681:
	vpmovzxbd	(%r12,%r14), %zmm1
	movl	$128, %eax
	vpbroadcastd	%eax, %zmm2
	vpandd	%zmm3, %zmm1, %zmm0
	vpandd	%zmm2, %zmm1, %zmm1
	vpcmpd	$0, %zmm3, %zmm0, %k1
	vpslld	$20, %zmm0, %zmm0
	vmulps	.LC20(%rip), %zmm0, %zmm0
	vpslld	$24, %zmm1, %zmm1
	vpbroadcastd	%r15d, %zmm4{%k1}{z}
	vpternlogd	$254, %zmm1, %zmm4, %zmm0
	vmulps	128(%rsp), %zmm0, %zmm0
	vmovups	%zmm0, (%rbx)
.L2647:
	addq	$16, %r14
	addq	$64, %rbx
	cmpq	%r8, %r14
	je	.L2677
.L2648:
	leaq	15(%r14), %rax
	cmpq	%r13, %rax
	jl	.L2681
	movq	%r8, 56(%rsp)
	vpxor	%xmm0, %xmm0, %xmm0
	movq	%r13, %rdx
	leaq	(%r12,%r14), %rsi
	movq	64(%rsp), %rdi
	subq	%r14, %rdx
	vmovdqa	%xmm0, 192(%rsp)
	vzeroupper
	call	memcpy@PLT
	movl	$128, %eax
	movq	48(%rsp), %rdx
	vpbroadcastd	%eax, %zmm2
	movq	64(%rsp), %rsi
	movq	%rbx, %rdi
	vmovdqa32	.LC17(%rip), %zmm3
	vpmovzxbd	192(%rsp), %zmm1
	subq	%rbx, %rdx
	vpandd	%zmm3, %zmm1, %zmm0
	vpandd	%zmm2, %zmm1, %zmm1
	vpcmpd	$0, %zmm3, %zmm0, %k1
	vpslld	$20, %zmm0, %zmm0
	vmulps	.LC20(%rip), %zmm0, %zmm0
	vpslld	$24, %zmm1, %zmm1
	vpbroadcastd	%r15d, %zmm4{%k1}{z}
	vpternlogd	$254, %zmm1, %zmm4, %zmm0
	vmulps	128(%rsp), %zmm0, %zmm0
	vmovaps	%zmm0, 192(%rsp)
	vzeroupper
	call	memcpy@PLT
	movq	56(%rsp), %r8
	vmovdqa32	.LC17(%rip), %zmm3
	jmp	.L2647
	.p2align 4,,10
	.p2align 3
.L2643:
	testq	%rcx, %rcx
	jle	.L2675
	leaq	(%rdx,%rcx,4), %rax
	leaq	-1(%rcx), %r8
	vbroadcastss	%xmm0, %zmm6
	xorl	%r15d, %r15d
	movq	%rax, 56(%rsp)
	andq	$-16, %r8
	leaq	192(%rsp), %rax
	movq	%rax, 64(%rsp)
	leaq	16(%r8), %r14
	vmovaps	%zmm6, 128(%rsp)
	jmp	.L2655
	.p2align 4,,10
	.p2align 3
.L2682:
	vpmovsxbd	(%r12,%r15), %zmm0
	vcvtdq2ps	%zmm0, %zmm0
	vmulps	128(%rsp), %zmm0, %zmm0
	vmovups	%zmm0, (%rbx)
.L2654:
	addq	$16, %r15
	addq	$64, %rbx
	cmpq	%r14, %r15
	je	.L2677
.L2655:
	leaq	15(%r15), %rax
	cmpq	%r13, %rax
	jl	.L2682
	movq	64(%rsp), %rdi
	vpxor	%xmm0, %xmm0, %xmm0
	movq	%r13, %rdx
	leaq	(%r12,%r15), %rsi
	vmovdqa	%xmm0, 192(%rsp)
	subq	%r15, %rdx
	vzeroupper
	call	memcpy@PLT
	movq	56(%rsp), %rdx
	movq	64(%rsp), %rsi
	vpmovsxbd	192(%rsp), %zmm0
	movq	%rbx, %rdi
	subq	%rbx, %rdx
	vcvtdq2ps	%zmm0, %zmm0
	vmulps	128(%rsp), %zmm0, %zmm0
	vmovaps	%zmm0, 192(%rsp)
	vzeroupper
	call	memcpy@PLT
	jmp	.L2654
	.p2align 4,,10
	.p2align 3
.L2657:
	testq	%rcx, %rcx
	jle	.L2675
	leaq	(%rcx,%rcx), %r15
	leaq	-1(%rcx), %rcx
	vbroadcastss	%xmm0, %zmm6
	movl	$15, %r14d
	vmovaps	%zmm6, 128(%rsp)
	andq	$-16, %rcx
	addq	$31, %rcx
	jmp	.L2664
	.p2align 4,,10
	.p2align 3
.L2683:
	vpmovzxwd	(%r12), %zmm0
	vpslld	$16, %zmm0, %zmm0
	vmulps	128(%rsp), %zmm0, %zmm0
	vmovups	%zmm0, (%rbx)
.L2663:
	addq	$16, %r14
	addq	$32, %r12
	addq	$64, %rbx
	subq	$32, %r15
	cmpq	%rcx, %r14
	je	.L2677
.L2664:
	cmpq	%r13, %r14
	jl	.L2683
	movq	%rcx, 64(%rsp)
	vpxor	%xmm6, %xmm6, %xmm6
	movq	%r15, %rdx
	movq	%r12, %rsi
	vmovdqa	%ymm6, 192(%rsp)
	leaq	192(%rsp), %rdi
	vzeroupper
	call	memcpy@PLT
	leaq	(%r15,%r15), %rdx
	movq	%rbx, %rdi
	vpmovzxwd	192(%rsp), %zmm0
	movq	%rax, %rsi
	vpslld	$16, %zmm0, %zmm0
	vmulps	128(%rsp), %zmm0, %zmm0
	vmovaps	%zmm0, 192(%rsp)
	vzeroupper
	call	memcpy@PLT
	movq	64(%rsp), %rcx
	jmp	.L2663
	.p2align 4,,10
	.p2align 3
.L2656:
	testq	%rcx, %rcx
	jle	.L2675
	leaq	(%rcx,%rcx), %r15
	leaq	-1(%rcx), %rcx
	vbroadcastss	%xmm0, %zmm4
	movl	$15, %r14d
	vmovaps	%zmm4, 128(%rsp)
	andq	$-16, %rcx
	addq	$31, %rcx
	jmp	.L2661
	.p2align 4,,10
	.p2align 3
.L2684:
	vcvtph2ps	(%r12), %zmm0
	vmulps	128(%rsp), %zmm0, %zmm0
	vmovups	%zmm0, (%rbx)
.L2660:
	addq	$16, %r14
	addq	$32, %r12
	addq	$64, %rbx
	subq	$32, %r15
	cmpq	%rcx, %r14
	je	.L2677
.L2661:
	cmpq	%r13, %r14
	jl	.L2684
	movq	%rcx, 64(%rsp)
	vpxor	%xmm5, %xmm5, %xmm5
	movq	%r15, %rdx
	movq	%r12, %rsi
	vmovdqa	%ymm5, 192(%rsp)
	leaq	192(%rsp), %rdi
	vzeroupper
	call	memcpy@PLT
	leaq	(%r15,%r15), %rdx
	movq	%rbx, %rdi
	vcvtph2ps	192(%rsp), %zmm0
	movq	%rax, %rsi
	vmulps	128(%rsp), %zmm0, %zmm0
	vmovaps	%zmm0, 192(%rsp)
	vzeroupper
	call	memcpy@PLT
	movq	64(%rsp), %rcx
	jmp	.L2660
	.cfi_endproc
.LFE6639:
	.size	_ZN10torchpaged12_GLOBAL__N_114dequantise_rowEPKcNS_5DTypeEPffl, .-_ZN10torchpaged12_GLOBAL__N_114dequantise_rowEPKcNS_5DTypeEPffl
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_110merge_rowsEPKcfS2_fPcNS_5DTypeEl, @function
_ZN10torchpaged12_GLOBAL__N_110merge_rowsEPKcfS2_fPcNS_5DTypeEl:
.LFB6609:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rdi, %rax
	vmovaps	%xmm0, %xmm4
	movq	%rsi, %r9
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	.cfi_offset 13, -24
	.cfi_offset 12, -32
	.cfi_offset 3, -40
	cmpl	$1, %ecx
	je	.L2686
	cmpl	$2, %ecx
	jne	.L2687
	testq	%r8, %r8
	jle	.L2852
	leaq	-1(%r8), %rcx
	leaq	-16(%r8), %rdi
	vxorps	%xmm5, %xmm5, %xmm5
	andq	$-16, %rcx
	vpternlogd	$0xFF, %zmm9, %zmm9, %zmm9
	leaq	-64(%rsp), %r10
	subq	%rcx, %rdi
	movl	$4194304, %ecx
	vpbroadcastd	%ecx, %zmm8
	movl	$1, %ecx
	vpbroadcastd	%ecx, %zmm7
	movl	$32767, %ecx
	vpbroadcastd	%ecx, %zmm6
	.p2align 4,,10
	.p2align 3
.L2758:
	movl	$16, %ecx
	cmpq	%rcx, %r8
	cmovle	%r8, %rcx
	vucomiss	%xmm5, %xmm4
	jp	.L2799
	je	.L2726
.L2799:
	cmpq	$15, %r8
	jg	.L2855
	vpxor	%xmm0, %xmm0, %xmm0
	addq	%rcx, %rcx
	movq	%r10, %r11
	movq	%r10, %r12
	vmovdqa	%ymm0, -64(%rsp)
	movq	%rax, %rsi
	cmpl	$8, %ecx
	jnb	.L2856
.L2732:
	xorl	%ebx, %ebx
	testb	$4, %cl
	je	.L2735
	movl	(%rsi), %ebx
	movl	%ebx, (%r12)
	movl	$4, %ebx
.L2735:
	testb	$2, %cl
	je	.L2737
	movzwl	(%rsi,%rbx), %esi
	movw	%si, (%r12,%rbx)
.L2737:
	vpmovzxwd	-64(%rsp), %zmm2
	vucomiss	%xmm5, %xmm1
	vbroadcastss	%xmm4, %zmm0
	vpslld	$16, %zmm2, %zmm2
	vmulps	%zmm2, %zmm0, %zmm0
	jp	.L2801
	je	.L2738
.L2801:
	vbroadcastss	%xmm1, %zmm2
.L2740:
	vpxor	%xmm3, %xmm3, %xmm3
	movq	%r11, %r12
	movq	%r9, %rsi
	vmovdqa	%ymm3, -64(%rsp)
	cmpl	$8, %ecx
	jnb	.L2857
.L2744:
	xorl	%ebx, %ebx
	testb	$4, %cl
	je	.L2747
	movl	(%rsi), %ebx
	movl	%ebx, (%r12)
	movl	$4, %ebx
.L2747:
	testb	$2, %cl
	je	.L2749
	movzwl	(%rsi,%rbx), %esi
	movw	%si, (%r12,%rbx)
.L2749:
	vpmovzxwd	-64(%rsp), %zmm3
	vpslld	$16, %zmm3, %zmm3
	vmulps	%zmm3, %zmm2, %zmm2
	vaddps	%zmm0, %zmm2, %zmm0
.L2750:
	vcmpps	$0, %zmm0, %zmm0, %k1
	vpord	%zmm0, %zmm8, %zmm3
	vmovdqa32	%zmm9, %zmm2{%k1}{z}
	vpmovd2m	%zmm2, %k1
	vpsrad	$16, %zmm0, %zmm2
	vpandd	%zmm7, %zmm2, %zmm2
	vpaddd	%zmm0, %zmm2, %zmm0
	vpaddd	%zmm6, %zmm0, %zmm0
	vblendmps	%zmm0, %zmm3, %zmm0{%k1}
	vpsrad	$16, %zmm0, %zmm0
	vpmovdw	%zmm0, -64(%rsp)
	cmpl	$8, %ecx
	jnb	.L2752
	testb	$4, %cl
	jne	.L2858
	testl	%ecx, %ecx
	je	.L2751
	movzbl	(%r11), %esi
	movb	%sil, (%rdx)
	testb	$2, %cl
	jne	.L2859
	.p2align 4,,10
	.p2align 3
.L2751:
	subq	$16, %r8
	addq	$32, %rdx
	addq	$32, %r9
	addq	$32, %rax
	cmpq	%r8, %rdi
	jne	.L2758
	vzeroupper
.L2852:
	leaq	-24(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
	.p2align 4,,10
	.p2align 3
.L2726:
	.cfi_restore_state
	vucomiss	%xmm5, %xmm1
	jp	.L2802
	jne	.L2802
	cmpq	$15, %r8
	jle	.L2793
	vxorps	%xmm3, %xmm3, %xmm3
.L2743:
	vcmpps	$0, %zmm3, %zmm3, %k1
	vpsrad	$16, %zmm3, %zmm2
	vpandd	%zmm7, %zmm2, %zmm2
	vpaddd	%zmm3, %zmm2, %zmm2
	vmovdqa32	%zmm9, %zmm0{%k1}{z}
	vpaddd	%zmm6, %zmm2, %zmm2
	vpmovd2m	%zmm0, %k1
	vpord	%zmm3, %zmm8, %zmm0
	vmovaps	%zmm2, %zmm0{%k1}
	vpsrad	$16, %zmm0, %zmm0
	vpmovdw	%zmm0, %ymm0
	vmovdqu	%ymm0, (%rdx)
	jmp	.L2751
	.p2align 4,,10
	.p2align 3
.L2855:
	vpmovzxwd	(%rax), %zmm0
	vucomiss	%xmm5, %xmm1
	vbroadcastss	%xmm4, %zmm3
	vpslld	$16, %zmm0, %zmm0
	vmulps	%zmm0, %zmm3, %zmm3
	jp	.L2800
	je	.L2729
.L2800:
	vbroadcastss	%xmm1, %zmm2
.L2731:
	vpmovzxwd	(%r9), %zmm0
	vpslld	$16, %zmm0, %zmm0
	vmulps	%zmm0, %zmm2, %zmm2
	vaddps	%zmm3, %zmm2, %zmm3
	jmp	.L2743
	.p2align 4,,10
	.p2align 3
.L2802:
	vbroadcastss	%xmm1, %zmm2
	cmpq	$15, %r8
	jg	.L2860
	vxorps	%xmm0, %xmm0, %xmm0
	leaq	-64(%rsp), %r11
	addq	%rcx, %rcx
	jmp	.L2740
	.p2align 4,,10
	.p2align 3
.L2752:
	movq	(%r11), %rsi
	leaq	8(%rdx), %r12
	andq	$-8, %r12
	movq	%rsi, (%rdx)
	movl	%ecx, %esi
	movq	-8(%r11,%rsi), %rbx
	movq	%rbx, -8(%rdx,%rsi)
	movq	%rdx, %rsi
	subq	%r12, %rsi
	addl	%esi, %ecx
	subq	%rsi, %r11
	andl	$-8, %ecx
	cmpl	$8, %ecx
	jb	.L2751
	andl	$-8, %ecx
	xorl	%esi, %esi
.L2756:
	movl	%esi, %ebx
	addl	$8, %esi
	movq	(%r11,%rbx), %r13
	movq	%r13, (%r12,%rbx)
	cmpl	%ecx, %esi
	jb	.L2756
	jmp	.L2751
	.p2align 4,,10
	.p2align 3
.L2856:
	movl	%ecx, %r13d
	xorl	%esi, %esi
	andl	$-8, %r13d
.L2733:
	movl	%esi, %ebx
	addl	$8, %esi
	movq	(%rax,%rbx), %r12
	movq	%r12, (%r10,%rbx)
	cmpl	%r13d, %esi
	jb	.L2733
	leaq	(%r10,%rsi), %r12
	addq	%rax, %rsi
	jmp	.L2732
	.p2align 4,,10
	.p2align 3
.L2857:
	movl	%ecx, %r13d
	xorl	%esi, %esi
	andl	$-8, %r13d
.L2745:
	movl	%esi, %ebx
	addl	$8, %esi
	movq	(%r9,%rbx), %r12
	movq	%r12, (%r11,%rbx)
	cmpl	%r13d, %esi
	jb	.L2745
	leaq	(%r11,%rsi), %r12
	addq	%r9, %rsi
	jmp	.L2744
	.p2align 4,,10
	.p2align 3
.L2686:
	testq	%r8, %r8
	jle	.L2852
	leaq	-1(%r8), %rcx
	leaq	-16(%r8), %rdi
	vxorps	%xmm2, %xmm2, %xmm2
	andq	$-16, %rcx
	vpxor	%xmm5, %xmm5, %xmm5
	leaq	-64(%rsp), %r10
	subq	%rcx, %rdi
	vbroadcastss	%xmm1, %zmm7
	vbroadcastss	%xmm0, %zmm6
	.p2align 4,,10
	.p2align 3
.L2725:
	movl	$16, %ecx
	cmpq	%rcx, %r8
	cmovle	%r8, %rcx
	vucomiss	%xmm2, %xmm4
	jp	.L2796
	je	.L2692
.L2796:
	cmpq	$15, %r8
	jg	.L2861
	addq	%rcx, %rcx
	movq	%r10, %r11
	movq	%r10, %r12
	movq	%rax, %rsi
	vmovdqa	%ymm5, -64(%rsp)
	cmpl	$8, %ecx
	jnb	.L2862
.L2698:
	xorl	%ebx, %ebx
	testb	$4, %cl
	je	.L2701
	movl	(%rsi), %ebx
	movl	%ebx, (%r12)
	movl	$4, %ebx
.L2701:
	testb	$2, %cl
	je	.L2703
	movzwl	(%rsi,%rbx), %esi
	movw	%si, (%r12,%rbx)
.L2703:
	vucomiss	%xmm2, %xmm1
	vcvtph2ps	-64(%rsp), %zmm3
	vmulps	%zmm6, %zmm3, %zmm3
	jp	.L2709
	je	.L2863
.L2709:
	vmovdqa	%ymm5, -64(%rsp)
	movq	%r11, %r12
	movq	%r9, %rsi
	cmpl	$8, %ecx
	jnb	.L2864
.L2710:
	xorl	%ebx, %ebx
	testb	$4, %cl
	je	.L2713
	movl	(%rsi), %ebx
	movl	%ebx, (%r12)
	movl	$4, %ebx
.L2713:
	testb	$2, %cl
	je	.L2715
	movzwl	(%rsi,%rbx), %esi
	movw	%si, (%r12,%rbx)
.L2715:
	vcvtph2ps	-64(%rsp), %zmm0
	vmulps	%zmm0, %zmm7, %zmm0
	vaddps	%zmm3, %zmm0, %zmm0
	vcvtps2ph	$8, %zmm0, %ymm0
.L2716:
	vmovdqa	%ymm0, -64(%rsp)
	cmpl	$8, %ecx
	jnb	.L2719
	testb	$4, %cl
	jne	.L2865
	testl	%ecx, %ecx
	jne	.L2866
	.p2align 4,,10
	.p2align 3
.L2718:
	subq	$16, %r8
	addq	$32, %rdx
	addq	$32, %r9
	addq	$32, %rax
	cmpq	%rdi, %r8
	jne	.L2725
	vzeroupper
	jmp	.L2852
	.p2align 4,,10
	.p2align 3
.L2692:
	vucomiss	%xmm2, %xmm1
	jp	.L2798
	jne	.L2798
	cmpq	$15, %r8
	jle	.L2791
	vxorps	%xmm0, %xmm0, %xmm0
.L2697:
	vcvtps2ph	$8, %zmm0, %ymm0
	vmovdqu	%ymm0, (%rdx)
	jmp	.L2718
	.p2align 4,,10
	.p2align 3
.L2861:
	vucomiss	%xmm2, %xmm1
	vcvtph2ps	(%rax), %zmm0
	vmulps	%zmm6, %zmm0, %zmm0
	jp	.L2789
	jne	.L2789
	vxorps	%xmm3, %xmm3, %xmm3
	vaddps	%zmm3, %zmm0, %zmm0
	jmp	.L2697
	.p2align 4,,10
	.p2align 3
.L2798:
	cmpq	$15, %r8
	jle	.L2790
	vxorps	%xmm0, %xmm0, %xmm0
.L2789:
	vcvtph2ps	(%r9), %zmm3
	vmulps	%zmm3, %zmm7, %zmm3
	vaddps	%zmm0, %zmm3, %zmm0
	jmp	.L2697
	.p2align 4,,10
	.p2align 3
.L2719:
	movq	(%r11), %rsi
	leaq	8(%rdx), %r12
	andq	$-8, %r12
	movq	%rsi, (%rdx)
	movl	%ecx, %esi
	movq	-8(%r11,%rsi), %rbx
	movq	%rbx, -8(%rdx,%rsi)
	movq	%rdx, %rsi
	subq	%r12, %rsi
	addl	%esi, %ecx
	subq	%rsi, %r11
	andl	$-8, %ecx
	cmpl	$8, %ecx
	jb	.L2718
	andl	$-8, %ecx
	xorl	%esi, %esi
.L2723:
	movl	%esi, %ebx
	addl	$8, %esi
	movq	(%r11,%rbx), %r13
	movq	%r13, (%r12,%rbx)
	cmpl	%ecx, %esi
	jb	.L2723
	jmp	.L2718
	.p2align 4,,10
	.p2align 3
.L2864:
	movl	%ecx, %r13d
	xorl	%esi, %esi
	andl	$-8, %r13d
.L2711:
	movl	%esi, %ebx
	addl	$8, %esi
	movq	(%r9,%rbx), %r12
	movq	%r12, (%r11,%rbx)
	cmpl	%r13d, %esi
	jb	.L2711
	leaq	(%r11,%rsi), %r12
	addq	%r9, %rsi
	jmp	.L2710
	.p2align 4,,10
	.p2align 3
.L2862:
	movl	%ecx, %r13d
	xorl	%esi, %esi
	andl	$-8, %r13d
.L2699:
	movl	%esi, %ebx
	addl	$8, %esi
	movq	(%rax,%rbx), %r12
	movq	%r12, (%r10,%rbx)
	cmpl	%r13d, %esi
	jb	.L2699
	leaq	(%r10,%rsi), %r12
	addq	%rax, %rsi
	jmp	.L2698
	.p2align 4,,10
	.p2align 3
.L2687:
	testq	%r8, %r8
	jle	.L2852
	leaq	-1(%r8), %rcx
	leaq	-16(%r8), %r12
	vxorps	%xmm0, %xmm0, %xmm0
	andq	$-16, %rcx
	vpxor	%xmm3, %xmm3, %xmm3
	leaq	-64(%rsp), %rbx
	subq	%rcx, %r12
	vbroadcastss	%xmm1, %zmm6
	vbroadcastss	%xmm4, %zmm7
	vxorps	%xmm8, %xmm8, %xmm8
	.p2align 4,,10
	.p2align 3
.L2788:
	movl	$16, %ecx
	cmpq	%rcx, %r8
	cmovle	%r8, %rcx
	vucomiss	%xmm0, %xmm4
	jp	.L2803
	je	.L2759
.L2803:
	cmpq	$15, %r8
	jg	.L2867
	leaq	0(,%rcx,4), %r10
	movq	%rbx, %r11
	movq	%rbx, %rsi
	movq	%rax, %rcx
	vmovdqa64	%zmm3, -64(%rsp)
	cmpl	$8, %r10d
	jnb	.L2868
.L2766:
	testb	$4, %r10b
	je	.L2771
	movl	(%rcx), %ecx
	movl	%ecx, (%rsi)
.L2771:
	vmulps	-64(%rsp), %zmm7, %zmm2
	vucomiss	%xmm0, %xmm1
	jp	.L2777
	jne	.L2777
	vaddps	%zmm8, %zmm2, %zmm2
.L2782:
	vmovaps	%zmm2, -64(%rsp)
	cmpl	$8, %r10d
	jnb	.L2784
	.p2align 4,,10
	.p2align 3
.L2871:
	testb	$4, %r10b
	jne	.L2869
	testl	%r10d, %r10d
	jne	.L2870
	.p2align 4,,10
	.p2align 3
.L2783:
	subq	$16, %r8
	addq	$64, %rdx
	addq	$64, %r9
	addq	$64, %rax
	cmpq	%r12, %r8
	jne	.L2788
	vzeroupper
	jmp	.L2852
	.p2align 4,,10
	.p2align 3
.L2759:
	vucomiss	%xmm0, %xmm1
	vxorps	%xmm2, %xmm2, %xmm2
	jp	.L2805
	je	.L2775
.L2805:
	movq	%rbx, %r11
	leaq	0(,%rcx,4), %r10
	cmpq	$15, %r8
	jg	.L2764
.L2777:
	vmovdqa64	%zmm3, -64(%rsp)
	movq	%rbx, %rdi
	movq	%r9, %rsi
	cmpl	$8, %r10d
	jb	.L2778
	movl	%r10d, %ecx
	shrl	$3, %ecx
	rep movsq
.L2778:
	testb	$4, %r10b
	je	.L2781
	movl	(%rsi), %ecx
	movl	%ecx, (%rdi)
.L2781:
	vmulps	-64(%rsp), %zmm6, %zmm5
	vaddps	%zmm2, %zmm5, %zmm2
	vmovaps	%zmm2, -64(%rsp)
	cmpl	$8, %r10d
	jb	.L2871
.L2784:
	movq	(%r11), %rcx
	leaq	8(%rdx), %rdi
	andq	$-8, %rdi
	movq	%rcx, (%rdx)
	movl	%r10d, %ecx
	movq	-8(%r11,%rcx), %rsi
	movq	%rsi, -8(%rdx,%rcx)
	movq	%rdx, %rcx
	movq	%r11, %rsi
	subq	%rdi, %rcx
	subq	%rcx, %rsi
	addl	%r10d, %ecx
	shrl	$3, %ecx
	rep movsq
	jmp	.L2783
	.p2align 4,,10
	.p2align 3
.L2775:
	cmpq	$15, %r8
	jle	.L2795
.L2765:
	vmovups	%zmm2, (%rdx)
	jmp	.L2783
	.p2align 4,,10
	.p2align 3
.L2764:
	vmulps	(%r9), %zmm6, %zmm5
	vaddps	%zmm2, %zmm5, %zmm2
	jmp	.L2765
	.p2align 4,,10
	.p2align 3
.L2867:
	vmulps	(%rax), %zmm7, %zmm2
	vucomiss	%xmm0, %xmm1
	jp	.L2764
	jne	.L2764
	vxorps	%xmm5, %xmm5, %xmm5
	vaddps	%zmm5, %zmm2, %zmm2
	jmp	.L2765
	.p2align 4,,10
	.p2align 3
.L2868:
	movl	%r10d, %r13d
	xorl	%ecx, %ecx
	andl	$-8, %r13d
.L2767:
	movl	%ecx, %esi
	addl	$8, %ecx
	movq	(%rax,%rsi), %rdi
	movq	%rdi, (%rbx,%rsi)
	cmpl	%r13d, %ecx
	jb	.L2767
	leaq	(%rbx,%rcx), %rsi
	addq	%rax, %rcx
	jmp	.L2766
	.p2align 4,,10
	.p2align 3
.L2729:
	vxorps	%xmm0, %xmm0, %xmm0
	vaddps	%zmm0, %zmm3, %zmm3
	jmp	.L2743
	.p2align 4,,10
	.p2align 3
.L2738:
	vxorps	%xmm2, %xmm2, %xmm2
	vaddps	%zmm2, %zmm0, %zmm0
	jmp	.L2750
	.p2align 4,,10
	.p2align 3
.L2860:
	vxorps	%xmm3, %xmm3, %xmm3
	jmp	.L2731
	.p2align 4,,10
	.p2align 3
.L2870:
	movzbl	(%r11), %ecx
	movb	%cl, (%rdx)
	jmp	.L2783
	.p2align 4,,10
	.p2align 3
.L2866:
	movzbl	(%r11), %esi
	movb	%sil, (%rdx)
	testb	$2, %cl
	je	.L2718
	movl	%ecx, %ecx
	movzwl	-2(%r11,%rcx), %esi
	movw	%si, -2(%rdx,%rcx)
	jmp	.L2718
	.p2align 4,,10
	.p2align 3
.L2790:
	vxorps	%xmm3, %xmm3, %xmm3
	leaq	-64(%rsp), %r11
	addq	%rcx, %rcx
	jmp	.L2709
	.p2align 4,,10
	.p2align 3
.L2863:
	vxorps	%xmm0, %xmm0, %xmm0
	vaddps	%zmm0, %zmm3, %zmm3
.L2717:
	vcvtps2ph	$8, %zmm3, %ymm0
	jmp	.L2716
	.p2align 4,,10
	.p2align 3
.L2859:
	movl	%ecx, %ecx
	movzwl	-2(%r11,%rcx), %esi
	movw	%si, -2(%rdx,%rcx)
	jmp	.L2751
.L2858:
	movl	(%r11), %esi
	movl	%ecx, %ecx
	movl	%esi, (%rdx)
	movl	-4(%r11,%rcx), %esi
	movl	%esi, -4(%rdx,%rcx)
	jmp	.L2751
.L2869:
	movl	(%r11), %ecx
	movl	%r10d, %r10d
	movl	%ecx, (%rdx)
	movl	-4(%r11,%r10), %ecx
	movl	%ecx, -4(%rdx,%r10)
	jmp	.L2783
.L2865:
	movl	(%r11), %esi
	movl	%ecx, %ecx
	movl	%esi, (%rdx)
	movl	-4(%r11,%rcx), %esi
	movl	%esi, -4(%rdx,%rcx)
	jmp	.L2718
.L2795:
	leaq	-64(%rsp), %r11
	leaq	0(,%rcx,4), %r10
	jmp	.L2782
.L2793:
	vxorps	%xmm0, %xmm0, %xmm0
	leaq	-64(%rsp), %r11
	addq	%rcx, %rcx
	jmp	.L2750
.L2791:
	vxorps	%xmm3, %xmm3, %xmm3
	leaq	-64(%rsp), %r11
	addq	%rcx, %rcx
	jmp	.L2717
	.cfi_endproc
.LFE6609:
	.size	_ZN10torchpaged12_GLOBAL__N_110merge_rowsEPKcfS2_fPcNS_5DTypeEl, .-_ZN10torchpaged12_GLOBAL__N_110merge_rowsEPKcfS2_fPcNS_5DTypeEl
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_115select_distanceINS0_11CountWeightEEEfPKflRKT_fPf, @function
_ZN10torchpaged12_GLOBAL__N_115select_distanceINS0_11CountWeightEEEfPKflRKT_fPf:
.LFB7154:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	movq	%rdx, %r13
	movl	$16384, %edx
	pushq	%r12
	.cfi_offset 12, -48
	movq	%rdi, %r12
	pushq	%rbx
	.cfi_offset 3, -56
	movq	%rsi, %rbx
	xorl	%esi, %esi
	andq	$-64, %rsp
	subq	$24768, %rsp
	leaq	8384(%rsp), %rdi
	movq	%rcx, 64(%rsp)
	vmovss	%xmm0, 56(%rsp)
	call	memset@PLT
	testq	%rbx, %rbx
	movq	64(%rsp), %r10
	vmovss	56(%rsp), %xmm2
	movq	%rax, %rdi
	leaq	192(%rsp), %r9
	jle	.L2873
	leaq	-1(%rbx), %rax
	leaq	-16(%rbx), %rsi
	movq	%rbx, %rdx
	movq	%r12, %rcx
	andq	$-16, %rax
	vbroadcastss	%xmm2, %zmm7
	vbroadcastss	.LC58(%rip), %zmm4
	vbroadcastss	.LC94(%rip), %zmm5
	vmovsd	.LC96(%rip), %xmm3
	subq	%rax, %rsi
	leaq	192(%rsp), %r9
	vpxor	%xmm8, %xmm8, %xmm8
	jmp	.L2883
	.p2align 4,,10
	.p2align 3
.L3115:
	vmulps	(%rcx), %zmm7, %zmm0
	vxorps	%zmm4, %zmm0, %zmm0
	vmaxps	%zmm5, %zmm0, %zmm0
	vxorps	%zmm4, %zmm0, %zmm0
	vcvttps2dq	%zmm0, %zmm0
	vmovd	%xmm0, %eax
	vmovdqa	%ymm0, %ymm1
	cltq
	vaddsd	8384(%rsp,%rax,8), %xmm3, %xmm6
	vmovsd	%xmm6, 8384(%rsp,%rax,8)
	vpextrd	$1, %xmm0, %eax
	cltq
	vaddsd	16576(%rsp,%rax,8), %xmm3, %xmm6
	vmovsd	%xmm6, 16576(%rsp,%rax,8)
.L2875:
	vpextrd	$2, %xmm1, %eax
	cltq
	vaddsd	8384(%rsp,%rax,8), %xmm3, %xmm6
	vmovsd	%xmm6, 8384(%rsp,%rax,8)
	cmpq	$3, %rdx
	jle	.L2882
	vpextrd	$3, %xmm1, %eax
	cltq
	vaddsd	16576(%rsp,%rax,8), %xmm3, %xmm6
	vmovsd	%xmm6, 16576(%rsp,%rax,8)
	cmpq	$4, %rdx
	jle	.L2882
	vextracti32x4	$1, %ymm1, %xmm6
	vextracti128	$0x1, %ymm1, %xmm11
	vmovd	%xmm6, %eax
	cltq
	vaddsd	8384(%rsp,%rax,8), %xmm3, %xmm1
	vmovsd	%xmm1, 8384(%rsp,%rax,8)
	cmpq	$5, %rdx
	jle	.L2882
	vpextrd	$1, %xmm11, %eax
	cltq
	vaddsd	16576(%rsp,%rax,8), %xmm3, %xmm1
	vmovsd	%xmm1, 16576(%rsp,%rax,8)
	cmpq	$6, %rdx
	jle	.L2882
	vpextrd	$2, %xmm11, %eax
	cltq
	vaddsd	8384(%rsp,%rax,8), %xmm3, %xmm1
	vmovsd	%xmm1, 8384(%rsp,%rax,8)
	cmpq	$7, %rdx
	jle	.L2882
	vpextrd	$3, %xmm11, %eax
	cltq
	vaddsd	16576(%rsp,%rax,8), %xmm3, %xmm1
	vmovsd	%xmm1, 16576(%rsp,%rax,8)
	cmpq	$8, %rdx
	jle	.L2882
	vextracti32x8	$0x1, %zmm0, %ymm0
	vmovd	%xmm0, %eax
	cltq
	vaddsd	8384(%rsp,%rax,8), %xmm3, %xmm6
	vmovsd	%xmm6, 8384(%rsp,%rax,8)
	cmpq	$9, %rdx
	jle	.L2882
	vpextrd	$1, %xmm0, %eax
	cltq
	vaddsd	16576(%rsp,%rax,8), %xmm3, %xmm6
	vmovsd	%xmm6, 16576(%rsp,%rax,8)
	cmpq	$10, %rdx
	jle	.L2882
	vpextrd	$2, %xmm0, %eax
	cltq
	vaddsd	8384(%rsp,%rax,8), %xmm3, %xmm6
	vmovsd	%xmm6, 8384(%rsp,%rax,8)
	cmpq	$11, %rdx
	jle	.L2882
	vpextrd	$3, %xmm0, %eax
	cltq
	vaddsd	16576(%rsp,%rax,8), %xmm3, %xmm1
	vmovsd	%xmm1, 16576(%rsp,%rax,8)
	cmpq	$12, %rdx
	jle	.L2882
	vextracti32x4	$1, %ymm0, %xmm6
	vextracti128	$0x1, %ymm0, %xmm1
	vmovd	%xmm6, %eax
	cltq
	vaddsd	8384(%rsp,%rax,8), %xmm3, %xmm0
	vmovsd	%xmm0, 8384(%rsp,%rax,8)
	cmpq	$13, %rdx
	jle	.L2882
	vpextrd	$1, %xmm1, %eax
	cltq
	vaddsd	16576(%rsp,%rax,8), %xmm3, %xmm0
	vmovsd	%xmm0, 16576(%rsp,%rax,8)
	cmpq	$14, %rdx
	jle	.L2882
	vpextrd	$2, %xmm1, %eax
	cltq
	vaddsd	8384(%rsp,%rax,8), %xmm3, %xmm0
	vmovsd	%xmm0, 8384(%rsp,%rax,8)
	cmpq	$15, %rdx
	jle	.L2882
	vpextrd	$3, %xmm1, %eax
	cltq
	vaddsd	16576(%rsp,%rax,8), %xmm3, %xmm0
	vmovsd	%xmm0, 16576(%rsp,%rax,8)
	.p2align 4,,10
	.p2align 3
.L2882:
	subq	$16, %rdx
	addq	$64, %rcx
	cmpq	%rdx, %rsi
	je	.L2873
.L2883:
	cmpq	$15, %rdx
	jg	.L3115
	movl	$16, %eax
	movq	%r9, %r11
	movq	%rcx, %r8
	vmovdqa64	%zmm8, 192(%rsp)
	cmpq	%rax, %rdx
	cmovle	%rdx, %rax
	salq	$2, %rax
	cmpl	$8, %eax
	jnb	.L3116
.L2876:
	testb	$4, %al
	je	.L2881
	movl	(%r8), %eax
	movl	%eax, (%r11)
.L2881:
	vmulps	192(%rsp), %zmm7, %zmm0
	vxorps	%zmm4, %zmm0, %zmm0
	vmaxps	%zmm5, %zmm0, %zmm0
	vxorps	%zmm4, %zmm0, %zmm0
	vcvttps2dq	%zmm0, %zmm0
	vmovd	%xmm0, %eax
	vmovdqa	%ymm0, %ymm1
	cltq
	vaddsd	8384(%rsp,%rax,8), %xmm3, %xmm9
	vmovsd	%xmm9, 8384(%rsp,%rax,8)
	cmpq	$1, %rdx
	jle	.L2882
	vpextrd	$1, %xmm0, %eax
	cltq
	vaddsd	16576(%rsp,%rax,8), %xmm3, %xmm6
	vmovsd	%xmm6, 16576(%rsp,%rax,8)
	cmpq	$2, %rdx
	jg	.L2875
	subq	$16, %rdx
	addq	$64, %rcx
	cmpq	%rdx, %rsi
	jne	.L2883
.L2873:
	movq	%rdi, %rdx
	movq	%r9, %rax
	.p2align 4,,10
	.p2align 3
.L2884:
	vmovapd	8192(%rdx), %zmm3
	vaddpd	(%rdx), %zmm3, %zmm0
	addq	$64, %rax
	addq	$64, %rdx
	vmovapd	%zmm0, -64(%rax)
	cmpq	%rax, %rdi
	jne	.L2884
	vmovsd	0(%r13), %xmm3
	xorl	%eax, %eax
	vxorpd	%xmm1, %xmm1, %xmm1
	jmp	.L2886
	.p2align 4,,10
	.p2align 3
.L3118:
	addq	$1, %rax
	cmpq	$1024, %rax
	je	.L3117
.L2886:
	vmovsd	%xmm1, %xmm1, %xmm0
	vaddsd	(%r9,%rax,8), %xmm1, %xmm1
	vcomisd	%xmm3, %xmm1
	jb	.L3118
	xorl	%r11d, %r11d
	testq	%rbx, %rbx
	jle	.L2970
	vpbroadcastd	%eax, %zmm7
	leaq	-1(%rbx), %rax
	xorl	%r11d, %r11d
	vbroadcastss	.LC58(%rip), %zmm4
	leaq	-16(%rbx), %rdx
	andq	$-16, %rax
	vbroadcastss	.LC94(%rip), %zmm5
	vbroadcastss	%xmm2, %zmm10
	subq	%rax, %rdx
	vpxor	%xmm11, %xmm11, %xmm11
	vpternlogd	$0xFF, %zmm9, %zmm9, %zmm9
	jmp	.L2914
.L2896:
	subq	$16, %rbx
	addq	$64, %r12
	cmpq	%rdx, %rbx
	je	.L2970
.L2914:
	cmpq	$15, %rbx
	jle	.L2888
	vmovups	(%r12), %zmm8
.L2889:
	vmulps	%zmm10, %zmm8, %zmm1
	vxorps	%zmm4, %zmm1, %zmm1
	vmaxps	%zmm5, %zmm1, %zmm1
	vxorps	%zmm4, %zmm1, %zmm1
	vcvttps2dq	%zmm1, %zmm1
	vpcmpd	$0, %zmm7, %zmm1, %k1
	vmovdqa32	%zmm9, %zmm2{%k1}{z}
	vpmovd2m	%zmm2, %k0
	kortestw	%k0, %k0
	je	.L2896
	vmovd	%xmm2, %eax
	vmovdqa	%ymm2, %ymm6
	testl	%eax, %eax
	je	.L2897
	vmovss	%xmm8, (%r10,%r11,4)
	addq	$1, %r11
.L2897:
	cmpq	$1, %rbx
	jle	.L2896
	vpextrd	$1, %xmm6, %eax
	testl	%eax, %eax
	je	.L2899
	vextractps	$1, %xmm8, (%r10,%r11,4)
	addq	$1, %r11
.L2899:
	cmpq	$2, %rbx
	jle	.L2896
	vpextrd	$2, %xmm6, %eax
	testl	%eax, %eax
	je	.L2900
	vextractps	$2, %xmm8, (%r10,%r11,4)
	addq	$1, %r11
.L2900:
	cmpq	$3, %rbx
	jle	.L2896
	vpextrd	$3, %xmm6, %eax
	testl	%eax, %eax
	je	.L2901
	vextractps	$3, %xmm8, (%r10,%r11,4)
	addq	$1, %r11
.L2901:
	cmpq	$4, %rbx
	jle	.L2896
	vextracti32x4	$1, %ymm6, %xmm1
	vmovd	%xmm1, %eax
	testl	%eax, %eax
	je	.L2902
	vextractf32x4	$1, %ymm8, %xmm1
	vmovss	%xmm1, (%r10,%r11,4)
	addq	$1, %r11
.L2902:
	cmpq	$5, %rbx
	jle	.L2896
	valignd	$5, %ymm6, %ymm6, %ymm1
	vmovd	%xmm1, %eax
	testl	%eax, %eax
	je	.L2903
	valignd	$5, %zmm8, %zmm8, %zmm1
	vmovss	%xmm1, (%r10,%r11,4)
	addq	$1, %r11
.L2903:
	cmpq	$6, %rbx
	jle	.L2896
	valignd	$6, %ymm6, %ymm6, %ymm1
	vmovd	%xmm1, %eax
	testl	%eax, %eax
	je	.L2904
	valignd	$6, %zmm8, %zmm8, %zmm1
	vmovss	%xmm1, (%r10,%r11,4)
	addq	$1, %r11
.L2904:
	cmpq	$7, %rbx
	jle	.L2896
	valignd	$7, %ymm6, %ymm6, %ymm6
	vmovd	%xmm6, %eax
	testl	%eax, %eax
	jne	.L3119
.L2905:
	cmpq	$8, %rbx
	jle	.L2896
	vextracti32x8	$0x1, %zmm2, %ymm1
	vextracti32x4	$2, %zmm2, %xmm2
	vmovd	%xmm2, %eax
	testl	%eax, %eax
	jne	.L3120
.L2906:
	cmpq	$9, %rbx
	jle	.L2896
	vpextrd	$1, %xmm1, %eax
	testl	%eax, %eax
	jne	.L3121
.L2907:
	cmpq	$10, %rbx
	jle	.L2896
	vpextrd	$2, %xmm1, %eax
	testl	%eax, %eax
	jne	.L3122
.L2908:
	cmpq	$11, %rbx
	jle	.L2896
	vpextrd	$3, %xmm1, %eax
	testl	%eax, %eax
	jne	.L3123
.L2909:
	cmpq	$12, %rbx
	jle	.L2896
	vextracti32x4	$1, %ymm1, %xmm6
	vmovd	%xmm6, %eax
	testl	%eax, %eax
	je	.L2910
	vextractf32x4	$3, %zmm8, %xmm2
	vmovss	%xmm2, (%r10,%r11,4)
	addq	$1, %r11
.L2910:
	cmpq	$13, %rbx
	jle	.L2896
	valignd	$5, %ymm1, %ymm1, %ymm6
	vmovd	%xmm6, %eax
	testl	%eax, %eax
	je	.L2911
	valignd	$13, %zmm8, %zmm8, %zmm2
	vmovss	%xmm2, (%r10,%r11,4)
	addq	$1, %r11
.L2911:
	cmpq	$14, %rbx
	jle	.L2896
	valignd	$6, %ymm1, %ymm1, %ymm6
	vmovd	%xmm6, %eax
	testl	%eax, %eax
	je	.L2912
	valignd	$14, %zmm8, %zmm8, %zmm2
	vmovss	%xmm2, (%r10,%r11,4)
	addq	$1, %r11
.L2912:
	cmpq	$15, %rbx
	jle	.L2896
	valignd	$7, %ymm1, %ymm1, %ymm1
	vmovd	%xmm1, %eax
	testl	%eax, %eax
	je	.L2896
	valignd	$15, %zmm8, %zmm8, %zmm8
	subq	$16, %rbx
	addq	$64, %r12
	vmovss	%xmm8, (%r10,%r11,4)
	addq	$1, %r11
	cmpq	%rdx, %rbx
	jne	.L2914
.L2970:
	vmovsd	%xmm0, %xmm0, %xmm12
	movq	%r11, %r12
	movq	%r10, %r14
	movq	%r9, %r15
	leaq	128(%rsp), %rax
	movq	%rax, 8(%rsp)
	.p2align 4,,10
	.p2align 3
.L2967:
	testq	%r12, %r12
	je	.L3124
	leaq	-1(%r12), %r8
	movq	%r12, %rbx
	cmpq	$14, %r8
	jbe	.L2971
	movq	%r12, %rdx
	movl	$2147483647, %ecx
	movq	%r14, %rax
	shrq	$4, %rdx
	vpxor	%xmm2, %xmm2, %xmm2
	vpbroadcastd	%ecx, %zmm4
	salq	$6, %rdx
	addq	%r14, %rdx
	.p2align 4,,10
	.p2align 3
.L2917:
	vpminsd	(%rax), %zmm4, %zmm4
	vpmaxsd	(%rax), %zmm2, %zmm2
	addq	$64, %rax
	cmpq	%rdx, %rax
	jne	.L2917
	vextracti32x8	$0x1, %zmm2, %ymm6
	movq	%r12, %rdx
	vpmaxsd	%ymm2, %ymm6, %ymm7
	andq	$-16, %rdx
	vextracti128	$0x1, %ymm7, %xmm5
	movq	%rdx, %rsi
	vpmaxsd	%xmm7, %xmm5, %xmm5
	vpsrldq	$8, %xmm5, %xmm7
	vpmaxsd	%xmm7, %xmm5, %xmm5
	vpsrldq	$4, %xmm5, %xmm7
	vpmaxsd	%xmm7, %xmm5, %xmm5
	vmovd	%xmm5, %eax
	vextracti32x8	$0x1, %zmm4, %ymm5
	vpminsd	%ymm4, %ymm5, %ymm9
	vmovd	%eax, %xmm8
	vpminsd	%ymm4, %ymm5, %ymm5
	vextracti128	$0x1, %ymm9, %xmm7
	vpmaxsd	%ymm2, %ymm6, %ymm4
	vpminsd	%xmm9, %xmm7, %xmm7
	vpsrldq	$8, %xmm7, %xmm9
	vpminsd	%xmm9, %xmm7, %xmm7
	vpsrldq	$4, %xmm7, %xmm9
	vpminsd	%xmm9, %xmm7, %xmm7
	vmovd	%xmm7, %r11d
	vmovd	%r11d, %xmm7
	cmpq	%r12, %rdx
	je	.L2918
.L2916:
	movq	%r12, %rcx
	subq	%rsi, %rcx
	leaq	-1(%rcx), %rax
	cmpq	$6, %rax
	jbe	.L2919
	vmovups	(%r14,%rsi,4), %ymm2
	movq	%rcx, %rsi
	andq	$-8, %rsi
	vpmaxsd	%ymm2, %ymm4, %ymm4
	vpminsd	%ymm2, %ymm5, %ymm5
	addq	%rsi, %rdx
	andl	$7, %ecx
	vextracti128	$0x1, %ymm4, %xmm2
	vpmaxsd	%xmm4, %xmm2, %xmm2
	vpsrldq	$8, %xmm2, %xmm4
	vpmaxsd	%xmm4, %xmm2, %xmm2
	vpsrldq	$4, %xmm2, %xmm4
	vpmaxsd	%xmm4, %xmm2, %xmm2
	vextracti128	$0x1, %ymm5, %xmm4
	vpminsd	%xmm5, %xmm4, %xmm4
	vmovd	%xmm2, %eax
	vpsrldq	$8, %xmm4, %xmm2
	vmovd	%eax, %xmm8
	vpminsd	%xmm2, %xmm4, %xmm4
	vpsrldq	$4, %xmm4, %xmm2
	vpminsd	%xmm2, %xmm4, %xmm4
	vmovd	%xmm4, %r11d
	vmovd	%r11d, %xmm7
	je	.L2918
.L2919:
	vmovd	(%r14,%rdx,4), %xmm2
	leaq	1(%rdx), %rsi
	leaq	0(,%rdx,4), %rcx
	vpminsd	%xmm2, %xmm7, %xmm7
	vpmaxsd	%xmm2, %xmm8, %xmm8
	vmovd	%xmm7, %r11d
	vmovd	%xmm8, %eax
	cmpq	%rsi, %r12
	jle	.L2918
	vmovd	4(%r14,%rcx), %xmm2
	leaq	2(%rdx), %rsi
	vpminsd	%xmm2, %xmm7, %xmm7
	vpmaxsd	%xmm2, %xmm8, %xmm8
	vmovd	%xmm7, %r11d
	vmovd	%xmm8, %eax
	cmpq	%rsi, %r12
	jle	.L2918
	vmovd	8(%r14,%rcx), %xmm2
	leaq	3(%rdx), %rsi
	vpminsd	%xmm2, %xmm7, %xmm7
	vpmaxsd	%xmm2, %xmm8, %xmm8
	vmovd	%xmm7, %r11d
	vmovd	%xmm8, %eax
	cmpq	%rsi, %r12
	jle	.L2918
	vmovd	12(%r14,%rcx), %xmm2
	leaq	4(%rdx), %rsi
	vpminsd	%xmm2, %xmm7, %xmm7
	vpmaxsd	%xmm2, %xmm8, %xmm8
	vmovd	%xmm7, %r11d
	vmovd	%xmm8, %eax
	cmpq	%rsi, %r12
	jle	.L2918
	vmovd	16(%r14,%rcx), %xmm2
	leaq	5(%rdx), %rsi
	vpminsd	%xmm2, %xmm7, %xmm7
	vpmaxsd	%xmm2, %xmm8, %xmm8
	vmovd	%xmm7, %r11d
	vmovd	%xmm8, %eax
	cmpq	%rsi, %r12
	jle	.L2918
	vmovd	20(%r14,%rcx), %xmm2
	addq	$6, %rdx
	vpminsd	%xmm2, %xmm7, %xmm7
	vpmaxsd	%xmm2, %xmm8, %xmm8
	vmovd	%xmm7, %r11d
	vmovd	%xmm8, %eax
	cmpq	%rdx, %r12
	jle	.L2918
	vmovd	24(%r14,%rcx), %xmm2
	vpminsd	%xmm2, %xmm7, %xmm7
	vpmaxsd	%xmm2, %xmm8, %xmm8
	vmovd	%xmm7, %r11d
	vmovd	%xmm8, %eax
.L2918:
	cmpl	%r11d, %eax
	je	.L3125
	vpsubd	%xmm7, %xmm8, %xmm2
	vmovd	%xmm2, %eax
	cmpl	$1023, %eax
	jle	.L2972
	movl	$1, %ecx
	.p2align 4,,10
	.p2align 3
.L2924:
	movl	%eax, %r13d
	movl	%ecx, %r10d
	sarl	%cl, %r13d
	addl	$1, %ecx
	cmpl	$1023, %r13d
	jg	.L2924
.L2923:
	movq	%r8, 48(%rsp)
	xorl	%esi, %esi
	movl	$16384, %edx
	movl	%r11d, 56(%rsp)
	movl	%r10d, 64(%rsp)
	vmovsd	%xmm12, 40(%rsp)
	vmovsd	%xmm3, 16(%rsp)
	vzeroupper
	call	memset@PLT
	movq	48(%rsp), %r8
	movq	%r14, %rsi
	movq	%rax, %rdi
	leaq	-16(%r12), %rax
	movl	56(%rsp), %r11d
	movslq	64(%rsp), %rcx
	andq	$-16, %r8
	movq	%rdi, 24(%rsp)
	vmovsd	40(%rsp), %xmm12
	vpxor	%xmm5, %xmm5, %xmm5
	subq	%r8, %rax
	movq	%r14, 32(%rsp)
	vpbroadcastd	%r11d, %zmm4
	movq	8(%rsp), %r14
	movq	%rax, %rdi
	movq	.LC96(%rip), %rax
	movl	%ecx, 56(%rsp)
	vmovq	%rcx, %xmm6
	movq	%r12, 48(%rsp)
	vmovsd	16(%rsp), %xmm3
	movl	%r13d, 40(%rsp)
	vmovq	%rax, %xmm1
	jmp	.L2934
	.p2align 4,,10
	.p2align 3
.L3127:
	vmovdqu32	(%rsi), %zmm7
	vpsubd	%zmm4, %zmm7, %zmm2
	vpsrad	%xmm6, %zmm2, %zmm7
	vmovdqa32	%zmm7, 64(%rsp)
	vmovdqa	64(%rsp), %ymm2
	movq	72(%rsp), %rdx
	movq	80(%rsp), %rcx
	movq	88(%rsp), %r8
	vmovq	%xmm2, %rax
	movq	96(%rsp), %r9
	movq	104(%rsp), %r10
	cltq
	movq	112(%rsp), %r12
	movq	120(%rsp), %r13
	vaddsd	8384(%rsp,%rax,8), %xmm1, %xmm0
	vmovsd	%xmm0, 8384(%rsp,%rax,8)
	vpextrd	$1, %xmm7, %eax
	cltq
	vaddsd	16576(%rsp,%rax,8), %xmm1, %xmm0
	vmovsd	%xmm0, 16576(%rsp,%rax,8)
.L2926:
	movslq	%edx, %rax
	vaddsd	8384(%rsp,%rax,8), %xmm1, %xmm0
	vmovsd	%xmm0, 8384(%rsp,%rax,8)
	cmpq	$3, %rbx
	jle	.L2933
	sarq	$32, %rdx
	vaddsd	16576(%rsp,%rdx,8), %xmm1, %xmm0
	vmovsd	%xmm0, 16576(%rsp,%rdx,8)
	cmpq	$4, %rbx
	jle	.L2933
	movslq	%ecx, %rax
	vaddsd	8384(%rsp,%rax,8), %xmm1, %xmm0
	vmovsd	%xmm0, 8384(%rsp,%rax,8)
	cmpq	$5, %rbx
	jle	.L2933
	sarq	$32, %rcx
	vaddsd	16576(%rsp,%rcx,8), %xmm1, %xmm0
	vmovsd	%xmm0, 16576(%rsp,%rcx,8)
	cmpq	$6, %rbx
	jle	.L2933
	movslq	%r8d, %rax
	vaddsd	8384(%rsp,%rax,8), %xmm1, %xmm0
	vmovsd	%xmm0, 8384(%rsp,%rax,8)
	cmpq	$7, %rbx
	jle	.L2933
	sarq	$32, %r8
	vaddsd	16576(%rsp,%r8,8), %xmm1, %xmm0
	vmovsd	%xmm0, 16576(%rsp,%r8,8)
	cmpq	$8, %rbx
	jle	.L2933
	movslq	%r9d, %rax
	vaddsd	8384(%rsp,%rax,8), %xmm1, %xmm0
	vmovsd	%xmm0, 8384(%rsp,%rax,8)
	cmpq	$9, %rbx
	jle	.L2933
	sarq	$32, %r9
	vaddsd	16576(%rsp,%r9,8), %xmm1, %xmm0
	vmovsd	%xmm0, 16576(%rsp,%r9,8)
	cmpq	$10, %rbx
	jle	.L2933
	movslq	%r10d, %rax
	vaddsd	8384(%rsp,%rax,8), %xmm1, %xmm0
	vmovsd	%xmm0, 8384(%rsp,%rax,8)
	cmpq	$11, %rbx
	jle	.L2933
	sarq	$32, %r10
	vaddsd	16576(%rsp,%r10,8), %xmm1, %xmm0
	vmovsd	%xmm0, 16576(%rsp,%r10,8)
	cmpq	$12, %rbx
	jle	.L2933
	movslq	%r12d, %rax
	vaddsd	8384(%rsp,%rax,8), %xmm1, %xmm0
	vmovsd	%xmm0, 8384(%rsp,%rax,8)
	cmpq	$13, %rbx
	jle	.L2933
	sarq	$32, %r12
	vaddsd	16576(%rsp,%r12,8), %xmm1, %xmm0
	vmovsd	%xmm0, 16576(%rsp,%r12,8)
	cmpq	$14, %rbx
	jle	.L2933
	movslq	%r13d, %rax
	vaddsd	8384(%rsp,%rax,8), %xmm1, %xmm0
	vmovsd	%xmm0, 8384(%rsp,%rax,8)
	cmpq	$15, %rbx
	jle	.L2933
	sarq	$32, %r13
	vaddsd	16576(%rsp,%r13,8), %xmm1, %xmm0
	vmovsd	%xmm0, 16576(%rsp,%r13,8)
	.p2align 4,,10
	.p2align 3
.L2933:
	subq	$16, %rbx
	addq	$64, %rsi
	cmpq	%rdi, %rbx
	je	.L3126
.L2934:
	cmpq	$15, %rbx
	jg	.L3127
	movl	$16, %eax
	movq	%r14, %rcx
	movq	%rsi, %rdx
	vmovdqa64	%zmm5, 128(%rsp)
	cmpq	%rax, %rbx
	cmovle	%rbx, %rax
	salq	$2, %rax
	cmpl	$8, %eax
	jnb	.L3128
.L2927:
	testb	$4, %al
	je	.L2932
	movl	(%rdx), %eax
	movl	%eax, (%rcx)
.L2932:
	vmovdqa32	128(%rsp), %zmm7
	vpsubd	%zmm4, %zmm7, %zmm2
	vpsrad	%xmm6, %zmm2, %zmm7
	vmovdqa32	%zmm7, 64(%rsp)
	vmovdqa	64(%rsp), %ymm2
	movq	72(%rsp), %rdx
	movq	80(%rsp), %rcx
	movq	88(%rsp), %r8
	vmovq	%xmm2, %rax
	movq	96(%rsp), %r9
	movq	104(%rsp), %r10
	cltq
	movq	112(%rsp), %r12
	movq	120(%rsp), %r13
	vaddsd	8384(%rsp,%rax,8), %xmm1, %xmm0
	vmovsd	%xmm0, 8384(%rsp,%rax,8)
	cmpq	$1, %rbx
	jle	.L2933
	vpextrd	$1, %xmm7, %eax
	cltq
	vaddsd	16576(%rsp,%rax,8), %xmm1, %xmm0
	vmovsd	%xmm0, 16576(%rsp,%rax,8)
	cmpq	$2, %rbx
	jg	.L2926
	subq	$16, %rbx
	addq	$64, %rsi
	cmpq	%rdi, %rbx
	jne	.L2934
.L3126:
	movl	56(%rsp), %r10d
	movq	48(%rsp), %r12
	leaq	16576(%rsp), %rbx
	movl	40(%rsp), %r13d
	movq	32(%rsp), %r14
	movq	24(%rsp), %rdi
.L2921:
	movq	%rdi, %rax
	movq	%r15, %rdx
	.p2align 4,,10
	.p2align 3
.L2935:
	vmovapd	8192(%rax), %zmm6
	vaddpd	(%rax), %zmm6, %zmm2
	addq	$64, %rax
	addq	$64, %rdx
	vmovapd	%zmm2, -64(%rdx)
	cmpq	%rax, %rbx
	jne	.L2935
	xorl	%eax, %eax
	jmp	.L2937
	.p2align 4,,10
	.p2align 3
.L3129:
	addq	$1, %rax
	cmpq	$1024, %rax
	je	.L2968
.L2937:
	vmovq	%xmm12, %rdx
	vaddsd	(%r15,%rax,8), %xmm12, %xmm12
	vcomisd	%xmm3, %xmm12
	jb	.L3129
	movl	%eax, %r13d
	vmovq	%rdx, %xmm12
.L2968:
	testq	%r12, %r12
	je	.L2915
	leaq	-1(%r12), %rcx
	leaq	-16(%r12), %rsi
	movslq	%r10d, %rbx
	movq	%r12, %rax
	andq	$-16, %rcx
	vpbroadcastd	%r11d, %zmm10
	movq	%r14, %rdx
	xorl	%r12d, %r12d
	vpbroadcastd	%r13d, %zmm9
	subq	%rcx, %rsi
	vmovq	%rbx, %xmm6
	vpxor	%xmm11, %xmm11, %xmm11
	vpternlogd	$0xFF, %zmm8, %zmm8, %zmm8
	jmp	.L2965
	.p2align 4,,10
	.p2align 3
.L2947:
	subq	$16, %rax
	addq	$64, %rdx
	cmpq	%rsi, %rax
	je	.L2967
.L2965:
	cmpq	$15, %rax
	jle	.L2939
	vmovups	(%rdx), %zmm7
.L2940:
	vpsubd	%zmm10, %zmm7, %zmm2
	vpsrad	%xmm6, %zmm2, %zmm2
	vpcmpd	$0, %zmm9, %zmm2, %k1
	vmovdqa32	%zmm8, %zmm4{%k1}{z}
	vpmovd2m	%zmm4, %k0
	kortestw	%k0, %k0
	je	.L2947
	vmovd	%xmm4, %ecx
	vmovdqa	%ymm4, %ymm13
	testl	%ecx, %ecx
	je	.L2948
	vmovss	%xmm7, (%r14,%r12,4)
	addq	$1, %r12
.L2948:
	cmpq	$1, %rax
	jle	.L2947
	vpextrd	$1, %xmm13, %ecx
	testl	%ecx, %ecx
	je	.L2950
	vextractps	$1, %xmm7, (%r14,%r12,4)
	addq	$1, %r12
.L2950:
	cmpq	$2, %rax
	jle	.L2947
	vpextrd	$2, %xmm13, %ecx
	testl	%ecx, %ecx
	je	.L2951
	vextractps	$2, %xmm7, (%r14,%r12,4)
	addq	$1, %r12
.L2951:
	cmpq	$3, %rax
	jle	.L2947
	vpextrd	$3, %xmm13, %ecx
	testl	%ecx, %ecx
	je	.L2952
	vextractps	$3, %xmm7, (%r14,%r12,4)
	addq	$1, %r12
.L2952:
	cmpq	$4, %rax
	jle	.L2947
	vextracti32x4	$1, %ymm13, %xmm5
	vmovd	%xmm5, %ecx
	testl	%ecx, %ecx
	je	.L2953
	vextractf32x4	$1, %ymm7, %xmm0
	vmovss	%xmm0, (%r14,%r12,4)
	addq	$1, %r12
.L2953:
	cmpq	$5, %rax
	jle	.L2947
	valignd	$5, %ymm13, %ymm13, %ymm5
	vmovd	%xmm5, %ecx
	testl	%ecx, %ecx
	je	.L2954
	valignd	$5, %zmm7, %zmm7, %zmm0
	vmovss	%xmm0, (%r14,%r12,4)
	addq	$1, %r12
.L2954:
	cmpq	$6, %rax
	jle	.L2947
	valignd	$6, %ymm13, %ymm13, %ymm5
	vmovd	%xmm5, %ecx
	testl	%ecx, %ecx
	je	.L2955
	valignd	$6, %zmm7, %zmm7, %zmm0
	vmovss	%xmm0, (%r14,%r12,4)
	addq	$1, %r12
.L2955:
	cmpq	$7, %rax
	jle	.L2947
	valignd	$7, %ymm13, %ymm13, %ymm5
	vmovd	%xmm5, %ecx
	testl	%ecx, %ecx
	je	.L2956
	valignd	$7, %zmm7, %zmm7, %zmm0
	vmovss	%xmm0, (%r14,%r12,4)
	addq	$1, %r12
.L2956:
	cmpq	$8, %rax
	jle	.L2947
	vextracti32x8	$0x1, %zmm4, %ymm2
	vextracti32x4	$2, %zmm4, %xmm4
	vmovd	%xmm4, %ebx
	testl	%ebx, %ebx
	je	.L2957
	vextractf32x4	$2, %zmm7, %xmm0
	vmovss	%xmm0, (%r14,%r12,4)
	addq	$1, %r12
.L2957:
	cmpq	$9, %rax
	jle	.L2947
	vpextrd	$1, %xmm2, %ecx
	testl	%ecx, %ecx
	je	.L2958
	valignd	$9, %zmm7, %zmm7, %zmm0
	vmovss	%xmm0, (%r14,%r12,4)
	addq	$1, %r12
.L2958:
	cmpq	$10, %rax
	jle	.L2947
	vpextrd	$2, %xmm2, %ecx
	testl	%ecx, %ecx
	je	.L2959
	valignd	$10, %zmm7, %zmm7, %zmm0
	vmovss	%xmm0, (%r14,%r12,4)
	addq	$1, %r12
.L2959:
	cmpq	$11, %rax
	jle	.L2947
	vpextrd	$3, %xmm2, %ecx
	testl	%ecx, %ecx
	je	.L2960
	valignd	$11, %zmm7, %zmm7, %zmm0
	vmovss	%xmm0, (%r14,%r12,4)
	addq	$1, %r12
.L2960:
	cmpq	$12, %rax
	jle	.L2947
	vextracti32x4	$1, %ymm2, %xmm5
	vmovd	%xmm5, %ecx
	testl	%ecx, %ecx
	je	.L2961
	vextractf32x4	$3, %zmm7, %xmm0
	vmovss	%xmm0, (%r14,%r12,4)
	addq	$1, %r12
.L2961:
	cmpq	$13, %rax
	jle	.L2947
	valignd	$5, %ymm2, %ymm2, %ymm5
	vmovd	%xmm5, %ecx
	testl	%ecx, %ecx
	je	.L2962
	valignd	$13, %zmm7, %zmm7, %zmm0
	vmovss	%xmm0, (%r14,%r12,4)
	addq	$1, %r12
.L2962:
	cmpq	$14, %rax
	jle	.L2947
	valignd	$6, %ymm2, %ymm2, %ymm5
	vmovd	%xmm5, %ecx
	testl	%ecx, %ecx
	je	.L2963
	valignd	$14, %zmm7, %zmm7, %zmm0
	vmovss	%xmm0, (%r14,%r12,4)
	addq	$1, %r12
.L2963:
	cmpq	$15, %rax
	jle	.L2947
	valignd	$7, %ymm2, %ymm2, %ymm2
	vmovd	%xmm2, %ebx
	testl	%ebx, %ebx
	je	.L2947
	valignd	$15, %zmm7, %zmm7, %zmm7
	vmovss	%xmm7, (%r14,%r12,4)
	addq	$1, %r12
	jmp	.L2947
.L2888:
	movl	$16, %ecx
	movq	%rdi, %rsi
	movq	%r12, %rax
	vmovdqa64	%zmm11, 8384(%rsp)
	cmpq	%rcx, %rbx
	cmovle	%rbx, %rcx
	salq	$2, %rcx
	cmpl	$8, %ecx
	jnb	.L3130
.L2890:
	andl	$4, %ecx
	je	.L2895
	movl	(%rax), %eax
	movl	%eax, (%rsi)
.L2895:
	vmovaps	8384(%rsp), %zmm8
	jmp	.L2889
.L3116:
	movl	%eax, %r15d
	xorl	%r8d, %r8d
	andl	$-8, %r15d
.L2877:
	movl	%r8d, %r11d
	addl	$8, %r8d
	movq	(%rcx,%r11), %r14
	movq	%r14, (%r9,%r11)
	cmpl	%r15d, %r8d
	jb	.L2877
	leaq	(%r9,%r8), %r11
	addq	%rcx, %r8
	jmp	.L2876
	.p2align 4,,10
	.p2align 3
.L2939:
	movl	$16, %ecx
	movq	%rdi, %r9
	movq	%rdx, %r8
	vmovdqa64	%zmm11, 8384(%rsp)
	cmpq	%rcx, %rax
	cmovle	%rax, %rcx
	salq	$2, %rcx
	cmpl	$8, %ecx
	jnb	.L3131
.L2941:
	andl	$4, %ecx
	je	.L2946
	movl	(%r8), %ecx
	movl	%ecx, (%r9)
.L2946:
	vmovaps	8384(%rsp), %zmm7
	jmp	.L2940
.L3131:
	movl	%ecx, %r11d
	xorl	%r8d, %r8d
	andl	$-8, %r11d
.L2942:
	movl	%r8d, %r9d
	addl	$8, %r8d
	movq	(%rdx,%r9), %r10
	movq	%r10, (%rdi,%r9)
	cmpl	%r11d, %r8d
	jb	.L2942
	leaq	(%rdi,%r8), %r9
	addq	%rdx, %r8
	jmp	.L2941
.L3128:
	movl	%eax, %r8d
	xorl	%edx, %edx
	andl	$-8, %r8d
.L2928:
	movl	%edx, %ecx
	addl	$8, %edx
	movq	(%rsi,%rcx), %r9
	movq	%r9, (%r14,%rcx)
	cmpl	%r8d, %edx
	jb	.L2928
	leaq	(%r14,%rdx), %rcx
	addq	%rsi, %rdx
	jmp	.L2927
.L3124:
	leaq	16576(%rsp), %rbx
.L2915:
	vmovsd	%xmm12, 56(%rsp)
	xorl	%esi, %esi
	movl	$16384, %edx
	movl	$-2147483647, %r13d
	vmovsd	%xmm3, 64(%rsp)
	vzeroupper
	call	memset@PLT
	xorl	%r12d, %r12d
	vmovsd	64(%rsp), %xmm3
	vmovsd	56(%rsp), %xmm12
	movq	%rax, %rdi
	movl	$2147483647, %r11d
	xorl	%r10d, %r10d
	jmp	.L2921
.L3125:
	vmovd	%eax, %xmm0
.L2872:
	vzeroupper
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L3130:
	.cfi_restore_state
	movl	%ecx, %r13d
	xorl	%eax, %eax
	andl	$-8, %r13d
.L2891:
	movl	%eax, %esi
	addl	$8, %eax
	movq	(%r12,%rsi), %r8
	movq	%r8, (%rdi,%rsi)
	cmpl	%r13d, %eax
	jb	.L2891
	leaq	(%rdi,%rax), %rsi
	addq	%r12, %rax
	jmp	.L2890
.L2971:
	movl	$2147483647, %eax
	vpxor	%xmm2, %xmm2, %xmm2
	xorl	%esi, %esi
	xorl	%edx, %edx
	vmovdqa	.LC95(%rip), %xmm7
	vpxor	%xmm4, %xmm4, %xmm4
	vpbroadcastd	%eax, %ymm5
	vmovdqa	%xmm2, %xmm8
	jmp	.L2916
.L3119:
	valignd	$7, %zmm8, %zmm8, %zmm1
	vmovss	%xmm1, (%r10,%r11,4)
	addq	$1, %r11
	jmp	.L2905
.L3120:
	vextractf32x4	$2, %zmm8, %xmm2
	vmovss	%xmm2, (%r10,%r11,4)
	addq	$1, %r11
	jmp	.L2906
.L3121:
	valignd	$9, %zmm8, %zmm8, %zmm2
	vmovss	%xmm2, (%r10,%r11,4)
	addq	$1, %r11
	jmp	.L2907
.L3122:
	valignd	$10, %zmm8, %zmm8, %zmm2
	vmovss	%xmm2, (%r10,%r11,4)
	addq	$1, %r11
	jmp	.L2908
.L3123:
	valignd	$11, %zmm8, %zmm8, %zmm2
	vmovss	%xmm2, (%r10,%r11,4)
	addq	$1, %r11
	jmp	.L2909
.L2972:
	vmovd	%xmm2, %r13d
	xorl	%r10d, %r10d
	jmp	.L2923
.L3117:
	vmovss	.LC92(%rip), %xmm0
	jmp	.L2872
	.cfi_endproc
.LFE7154:
	.size	_ZN10torchpaged12_GLOBAL__N_115select_distanceINS0_11CountWeightEEEfPKflRKT_fPf, .-_ZN10torchpaged12_GLOBAL__N_115select_distanceINS0_11CountWeightEEEfPKflRKT_fPf
	.align 2
	.p2align 4
	.type	_ZZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryEENKUlT_E_clINS0_7Float32EEEDaS6_.constprop.0, @function
_ZZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryEENKUlT_E_clINS0_7Float32EEEDaS6_.constprop.0:
.LFB7969:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r14
	pushq	%rbx
	andq	$-128, %rsp
	subq	$1160, %rsp
	.cfi_offset 14, -24
	.cfi_offset 3, -32
	vbroadcastss	.LC1(%rip), %zmm0
	movq	(%rdi), %rax
	movq	16(%rax), %rdx
	movq	(%rax), %rsi
	vmovups	%zmm0, 608(%rsp)
	vmovups	%zmm0, 672(%rsp)
	leaq	127(%rdx), %r9
	testq	%rdx, %rdx
	movq	%rdx, %rax
	vmovups	%zmm0, 736(%rsp)
	cmovs	%r9, %rax
	leaq	254(%rdx), %rcx
	vmovups	%zmm0, 800(%rsp)
	vmovups	%zmm0, 864(%rsp)
	vmovups	%zmm0, 928(%rsp)
	movq	%rax, %r8
	vmovups	%zmm0, 992(%rsp)
	sarq	$7, %r8
	testq	%r9, %r9
	vmovups	%zmm0, 1056(%rsp)
	cmovns	%r9, %rcx
	andq	$-128, %rax
	sarq	$7, %rcx
	cmpq	%rax, %rdx
	jle	.L3137
	movq	%rax, %r9
	negq	%r9
	leaq	584(%rsp,%r9,4), %r9
	.p2align 4,,10
	.p2align 3
.L3136:
	vmovss	(%rsi,%rax,4), %xmm0
	vmovss	%xmm0, 24(%r9,%rax,4)
	addq	$1, %rax
	vmovss	%xmm0, 328(%rsp)
	cmpq	%rax, %rdx
	jne	.L3136
.L3137:
	vmovss	.LC1(%rip), %xmm0
	movq	8(%rdi), %rdi
	movq	(%rdi), %r10
	vmovss	%xmm0, 8(%rdi)
	testq	%rdx, %rdx
	jle	.L3187
	vmovups	608(%rsp), %zmm7
	vmovups	672(%rsp), %zmm22
	vmovups	736(%rsp), %zmm6
	vmovups	800(%rsp), %zmm5
	vmovups	864(%rsp), %zmm4
	vmovups	928(%rsp), %zmm23
	vmovups	992(%rsp), %zmm2
	vmovups	1056(%rsp), %zmm24
	cmpq	$127, %rdx
	jle	.L3168
	cmpq	%rcx, %r8
	movq	%rcx, %r11
	vxorps	%xmm3, %xmm3, %xmm3
	movq	%rsi, %rax
	cmovle	%r8, %r11
	xorl	%r9d, %r9d
	.p2align 4,,10
	.p2align 3
.L3140:
	vmovups	64(%rax), %zmm1
	vmovups	(%rax), %zmm0
	vmaxps	192(%rax), %zmm1, %zmm9
	vmaxps	128(%rax), %zmm0, %zmm0
	vmaxps	320(%rax), %zmm9, %zmm9
	vmaxps	256(%rax), %zmm0, %zmm0
	vmaxps	448(%rax), %zmm9, %zmm9
	vmaxps	384(%rax), %zmm0, %zmm0
	vmovups	192(%rax), %zmm10
	vmovups	(%rax), %zmm1
	vaddps	64(%rax), %zmm10, %zmm8
	vaddps	128(%rax), %zmm1, %zmm1
	vaddps	320(%rax), %zmm8, %zmm8
	vmaxps	%zmm9, %zmm0, %zmm0
	vaddps	256(%rax), %zmm1, %zmm1
	vaddps	448(%rax), %zmm8, %zmm8
	vaddps	384(%rax), %zmm1, %zmm1
	vaddps	%zmm8, %zmm1, %zmm1
	vaddps	%zmm1, %zmm3, %zmm3
	vextractf64x4	$0x1, %zmm0, %ymm1
	vmaxps	%ymm0, %ymm1, %ymm1
	vextractf128	$0x1, %ymm1, %xmm0
	vmaxps	%xmm1, %xmm0, %xmm0
	vpermilps	$78, %xmm0, %xmm1
	vmaxps	%xmm1, %xmm0, %xmm0
	vpermilps	$17, %xmm0, %xmm1
	vmaxps	%xmm1, %xmm0, %xmm0
	vmovaps	%xmm0, %xmm1
	vmovss	%xmm0, (%r10,%r9,4)
	vmovss	8(%rdi), %xmm0
	vmovd	%xmm1, %ebx
	vucomiss	%xmm0, %xmm1
	vmovd	%xmm0, %r14d
	cmovbe	%r14d, %ebx
	addq	$1, %r9
	addq	$512, %rax
	movl	%ebx, 8(%rdi)
	vmovd	%ebx, %xmm0
	cmpq	%r9, %r11
	jg	.L3140
	cmpq	%r9, %rcx
	jle	.L3145
.L3138:
	vmaxps	%zmm6, %zmm7, %zmm0
	vmaxps	%zmm5, %zmm22, %zmm1
	vaddps	%zmm6, %zmm7, %zmm8
	vaddps	%zmm5, %zmm22, %zmm9
	vmaxps	%zmm4, %zmm0, %zmm0
	vmaxps	%zmm23, %zmm1, %zmm1
	vaddps	%zmm4, %zmm8, %zmm8
	vaddps	%zmm23, %zmm9, %zmm9
	vmaxps	%zmm24, %zmm1, %zmm1
	vmaxps	%zmm2, %zmm0, %zmm0
	vaddps	%zmm2, %zmm8, %zmm8
	vaddps	%zmm24, %zmm9, %zmm9
	vmaxps	%zmm1, %zmm0, %zmm0
	vaddps	%zmm9, %zmm8, %zmm8
	vextractf64x4	$0x1, %zmm0, %ymm1
	vmaxps	%ymm0, %ymm1, %ymm0
	vextractf128	$0x1, %ymm0, %xmm1
	vmaxps	%xmm0, %xmm1, %xmm1
	vpermilps	$78, %xmm1, %xmm0
	vmaxps	%xmm0, %xmm1, %xmm1
	vpermilps	$17, %xmm1, %xmm0
	vmaxps	%xmm0, %xmm1, %xmm1
	vmovd	%xmm1, %eax
	.p2align 4,,10
	.p2align 3
.L3144:
	vmovss	%xmm1, (%r10,%r9,4)
	movl	%eax, %ebx
	vucomiss	8(%rdi), %xmm1
	cmovbe	8(%rdi), %ebx
	addq	$1, %r9
	vaddps	%zmm8, %zmm3, %zmm3
	movl	%ebx, 8(%rdi)
	vmovd	%ebx, %xmm0
	cmpq	%r9, %rcx
	jg	.L3144
.L3145:
	vxorps	%xmm1, %xmm1, %xmm1
	vaddss	%xmm1, %xmm0, %xmm0
	vextractf64x4	$0x1, %zmm3, %ymm1
	vaddps	%ymm3, %ymm1, %ymm1
	vmovss	%xmm0, 8(%rdi)
	vextractf128	$0x1, %ymm1, %xmm3
	vaddps	%xmm1, %xmm3, %xmm3
	vpermilps	$78, %xmm3, %xmm1
	vaddps	%xmm3, %xmm1, %xmm1
	vmovaps	%xmm1, %xmm3
	vshufps	$85, %xmm1, %xmm1, %xmm1
	vaddss	%xmm1, %xmm3, %xmm1
	vucomiss	%xmm1, %xmm1
	jnp	.L3188
	cmpq	$127, %rdx
	jle	.L3169
	cmpq	%rcx, %r8
	movq	%rcx, %rbx
	vpxor	%xmm1, %xmm1, %xmm1
	movq	%rsi, %r9
	cmovle	%r8, %rbx
	vpternlogd	$0xFF, %zmm3, %zmm3, %zmm3
	xorl	%r10d, %r10d
	.p2align 4,,10
	.p2align 3
.L3151:
	vmovups	(%r9), %zmm11
	addq	$1, %r10
	vmovups	64(%r9), %zmm12
	addq	$512, %r9
	vmovups	-384(%r9), %zmm13
	vmovups	-320(%r9), %zmm14
	vcmpps	$4, %zmm11, %zmm11, %k1
	vcmpps	$4, %zmm12, %zmm12, %k0
	vmovups	-256(%r9), %zmm15
	vmovups	-192(%r9), %zmm11
	vcmpps	$4, %zmm13, %zmm13, %k2
	vcmpps	$4, %zmm14, %zmm14, %k3
	vmovups	-128(%r9), %zmm12
	vmovups	-64(%r9), %zmm13
	vcmpps	$4, %zmm15, %zmm15, %k4
	vcmpps	$4, %zmm11, %zmm11, %k5
	kmovw	%k1, %eax
	kmovw	%k0, %r14d
	orl	%r14d, %eax
	vcmpps	$4, %zmm12, %zmm12, %k6
	kmovw	%k2, %r11d
	orl	%r11d, %eax
	kmovw	%k3, %r11d
	vcmpps	$4, %zmm13, %zmm13, %k1
	orl	%r11d, %eax
	kmovw	%k4, %r11d
	orl	%r11d, %eax
	kmovw	%k5, %r11d
	orl	%r11d, %eax
	kmovw	%k6, %r11d
	orl	%r11d, %eax
	kmovw	%eax, %k7
	korw	%k1, %k7, %k1
	vmovdqa32	%zmm3, %zmm1{%k1}
	cmpq	%rbx, %r10
	jl	.L3151
	cmpq	%rcx, %r10
	jge	.L3167
.L3150:
	vcmpps	$4, %zmm22, %zmm22, %k1
	vcmpps	$4, %zmm7, %zmm7, %k0
	vcmpps	$4, %zmm4, %zmm4, %k2
	vcmpps	$4, %zmm23, %zmm23, %k3
	vcmpps	$4, %zmm2, %zmm2, %k4
	vcmpps	$4, %zmm24, %zmm24, %k5
	vpternlogd	$0xFF, %zmm2, %zmm2, %zmm2
	kmovw	%k0, %eax
	kmovw	%k1, %r11d
	vcmpps	$4, %zmm5, %zmm5, %k0
	orl	%eax, %r11d
	vcmpps	$4, %zmm6, %zmm6, %k1
	kmovw	%k0, %eax
	kmovw	%k1, %r9d
	orl	%eax, %r9d
	kmovw	%k2, %eax
	orl	%eax, %r9d
	kmovw	%k3, %eax
	orl	%eax, %r9d
	kmovw	%k4, %eax
	orl	%eax, %r9d
	kmovw	%k5, %eax
	orl	%r11d, %eax
	orl	%r9d, %eax
	kmovw	%eax, %k1
	.p2align 4,,10
	.p2align 3
.L3153:
	addq	$1, %r10
	vmovdqa32	%zmm2, %zmm1{%k1}
	cmpq	%r10, %rcx
	jg	.L3153
.L3167:
	vpmovd2m	%zmm1, %k0
	kortestw	%k0, %k0
	je	.L3155
.L3148:
	xorl	%eax, %eax
	vzeroupper
	leaq	-16(%rbp), %rsp
	popq	%rbx
	popq	%r14
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L3168:
	.cfi_restore_state
	vxorps	%xmm3, %xmm3, %xmm3
	xorl	%r9d, %r9d
	jmp	.L3138
.L3155:
	vcomiss	.LC97(%rip), %xmm0
	ja	.L3148
	vmovss	.LC27(%rip), %xmm1
	vcomiss	%xmm0, %xmm1
	ja	.L3148
	testq	%rdx, %rdx
	jle	.L3170
	vmovups	672(%rsp), %zmm22
	vmovups	736(%rsp), %zmm6
	vmovups	800(%rsp), %zmm5
	vmovups	864(%rsp), %zmm4
	vmovups	928(%rsp), %zmm23
	vmovups	992(%rsp), %zmm2
	vmovups	1056(%rsp), %zmm24
.L3149:
	vbroadcastss	%xmm0, %zmm0
	vsubps	%zmm0, %zmm4, %zmm25
	vsubps	%zmm0, %zmm22, %zmm22
	vsubps	%zmm0, %zmm6, %zmm17
	vsubps	%zmm0, %zmm5, %zmm18
	vsubps	%zmm0, %zmm23, %zmm23
	vsubps	%zmm0, %zmm2, %zmm4
	cmpq	$127, %rdx
	jle	.L3171
	vpxor	%xmm1, %xmm1, %xmm1
	cmpq	%rcx, %r8
	movq	%rcx, %r9
	movq	%rsi, %rdx
	vbroadcastss	.LC29(%rip), %zmm5
	cmovle	%r8, %r9
	xorl	%eax, %eax
	vmovdqa64	%zmm1, 392(%rsp)
	vmovdqa64	%zmm1, 456(%rsp)
	vbroadcastss	.LC31(%rip), %zmm6
	vbroadcastss	.LC33(%rip), %zmm7
	vbroadcastss	.LC35(%rip), %zmm8
	vmaxps	%zmm22, %zmm5, %zmm1
	vbroadcastss	.LC37(%rip), %zmm9
	vbroadcastss	.LC39(%rip), %zmm10
	vbroadcastss	.LC41(%rip), %zmm11
	vmovaps	%zmm9, %zmm31
	vmovaps	%zmm9, %zmm30
	vbroadcastss	.LC43(%rip), %zmm12
	vbroadcastss	.LC45(%rip), %zmm13
	vmulps	%zmm6, %zmm1, %zmm2
	vmovaps	%zmm9, %zmm29
	vbroadcastss	.LC47(%rip), %zmm14
	vbroadcastss	.LC49(%rip), %zmm15
	vmovaps	%zmm9, %zmm28
	vmovaps	%zmm9, %zmm27
	vmovaps	%zmm9, %zmm26
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm7, %zmm2, %zmm1
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm10, %zmm31
	vfmadd132ps	%zmm1, %zmm11, %zmm31
	vfmadd132ps	%zmm1, %zmm12, %zmm31
	vfmadd132ps	%zmm1, %zmm13, %zmm31
	vfmadd132ps	%zmm1, %zmm14, %zmm31
	vfmadd132ps	%zmm3, %zmm1, %zmm31
	vmaxps	%zmm17, %zmm5, %zmm1
	vaddps	%zmm15, %zmm31, %zmm31
	vscalefps	%zmm2, %zmm31, %zmm31
	vmulps	%zmm6, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vmovaps	%zmm31, 136(%rsp)
	vfmadd231ps	%zmm7, %zmm2, %zmm1
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm10, %zmm30
	vfmadd132ps	%zmm1, %zmm11, %zmm30
	vfmadd132ps	%zmm1, %zmm12, %zmm30
	vfmadd132ps	%zmm1, %zmm13, %zmm30
	vfmadd132ps	%zmm1, %zmm14, %zmm30
	vfmadd132ps	%zmm3, %zmm1, %zmm30
	vmaxps	%zmm18, %zmm5, %zmm1
	vaddps	%zmm15, %zmm30, %zmm30
	vscalefps	%zmm2, %zmm30, %zmm30
	vmulps	%zmm6, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vmovaps	%zmm30, 72(%rsp)
	vfmadd231ps	%zmm7, %zmm2, %zmm1
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm10, %zmm29
	vfmadd132ps	%zmm1, %zmm11, %zmm29
	vfmadd132ps	%zmm1, %zmm12, %zmm29
	vfmadd132ps	%zmm1, %zmm13, %zmm29
	vfmadd132ps	%zmm1, %zmm14, %zmm29
	vfmadd132ps	%zmm3, %zmm1, %zmm29
	vmaxps	%zmm25, %zmm5, %zmm1
	vaddps	%zmm15, %zmm29, %zmm29
	vscalefps	%zmm2, %zmm29, %zmm29
	vmulps	%zmm6, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vmovaps	%zmm29, 8(%rsp)
	vfmadd231ps	%zmm7, %zmm2, %zmm1
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm10, %zmm28
	vfmadd132ps	%zmm1, %zmm11, %zmm28
	vfmadd132ps	%zmm1, %zmm12, %zmm28
	vfmadd132ps	%zmm1, %zmm13, %zmm28
	vfmadd132ps	%zmm1, %zmm14, %zmm28
	vfmadd132ps	%zmm3, %zmm1, %zmm28
	vaddps	%zmm15, %zmm28, %zmm28
	vscalefps	%zmm2, %zmm28, %zmm28
	vmaxps	%zmm23, %zmm5, %zmm2
	vmulps	%zmm6, %zmm2, %zmm1
	vmovaps	%zmm28, -56(%rsp)
	vrndscaleps	$8, %zmm1, %zmm1
	vfmadd231ps	%zmm7, %zmm1, %zmm2
	vfmadd231ps	%zmm8, %zmm1, %zmm2
	vmulps	%zmm2, %zmm2, %zmm3
	vfmadd132ps	%zmm2, %zmm10, %zmm27
	vfmadd132ps	%zmm2, %zmm11, %zmm27
	vfmadd132ps	%zmm2, %zmm12, %zmm27
	vfmadd132ps	%zmm2, %zmm13, %zmm27
	vfmadd132ps	%zmm2, %zmm14, %zmm27
	vfmadd132ps	%zmm3, %zmm2, %zmm27
	vmaxps	%zmm4, %zmm5, %zmm2
	vaddps	%zmm15, %zmm27, %zmm27
	vscalefps	%zmm1, %zmm27, %zmm27
	vmulps	%zmm6, %zmm2, %zmm1
	vrndscaleps	$8, %zmm1, %zmm1
	vfmadd231ps	%zmm7, %zmm1, %zmm2
	vfmadd231ps	%zmm8, %zmm1, %zmm2
	vmulps	%zmm2, %zmm2, %zmm3
	vfmadd132ps	%zmm2, %zmm10, %zmm26
	vfmadd132ps	%zmm2, %zmm11, %zmm26
	vfmadd132ps	%zmm2, %zmm12, %zmm26
	vfmadd132ps	%zmm2, %zmm13, %zmm26
	vfmadd132ps	%zmm2, %zmm14, %zmm26
	vfmadd132ps	%zmm3, %zmm2, %zmm26
	vaddps	%zmm15, %zmm26, %zmm26
	vscalefps	%zmm1, %zmm26, %zmm26
.L3161:
	vmovups	(%rdx), %zmm3
	vmovaps	%zmm9, %zmm2
	vsubps	%zmm0, %zmm3, %zmm1
	vmaxps	%zmm1, %zmm5, %zmm1
	vmulps	%zmm6, %zmm1, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm7, %zmm3, %zmm1
	vfmadd231ps	%zmm8, %zmm3, %zmm1
	vmulps	%zmm1, %zmm1, %zmm16
	vfmadd132ps	%zmm1, %zmm10, %zmm2
	vfmadd132ps	%zmm1, %zmm11, %zmm2
	vfmadd132ps	%zmm1, %zmm12, %zmm2
	vfmadd132ps	%zmm1, %zmm13, %zmm2
	vfmadd132ps	%zmm1, %zmm14, %zmm2
	vfmadd231ps	%zmm16, %zmm2, %zmm1
	vaddps	%zmm15, %zmm1, %zmm1
	vscalefps	%zmm3, %zmm1, %zmm1
	cmpq	%rax, %r8
	jg	.L3159
	vmovaps	72(%rsp), %zmm19
	vmovaps	8(%rsp), %zmm28
	vmovaps	%zmm27, %zmm21
	vmovaps	%zmm26, %zmm20
	vmovaps	-56(%rsp), %zmm16
	vmovaps	%zmm24, %zmm3
	vmovaps	136(%rsp), %zmm29
.L3160:
	vsubps	%zmm0, %zmm3, %zmm3
	vmovaps	%zmm9, %zmm2
	addq	$1, %rax
	addq	$512, %rdx
	vaddps	%zmm29, %zmm1, %zmm1
	vaddps	%zmm28, %zmm19, %zmm19
	vaddps	%zmm21, %zmm16, %zmm16
	vmaxps	%zmm3, %zmm5, %zmm3
	vaddps	%zmm19, %zmm1, %zmm1
	vmulps	%zmm6, %zmm3, %zmm30
	vrndscaleps	$8, %zmm30, %zmm30
	vfmadd231ps	%zmm7, %zmm30, %zmm3
	vfmadd231ps	%zmm8, %zmm30, %zmm3
	vmulps	%zmm3, %zmm3, %zmm31
	vfmadd132ps	%zmm3, %zmm10, %zmm2
	vfmadd132ps	%zmm3, %zmm11, %zmm2
	vfmadd132ps	%zmm3, %zmm12, %zmm2
	vfmadd132ps	%zmm3, %zmm13, %zmm2
	vfmadd132ps	%zmm3, %zmm14, %zmm2
	vfmadd132ps	%zmm31, %zmm3, %zmm2
	vaddps	%zmm15, %zmm2, %zmm2
	vscalefps	%zmm30, %zmm2, %zmm2
	vaddps	%zmm20, %zmm2, %zmm2
	vaddps	%zmm2, %zmm16, %zmm16
	vaddps	%zmm16, %zmm1, %zmm1
	vcvtps2pd	%ymm1, %zmm2
	vextractf32x8	$0x1, %zmm1, %ymm1
	vaddpd	392(%rsp), %zmm2, %zmm2
	vcvtps2pd	%ymm1, %zmm1
	vaddpd	456(%rsp), %zmm1, %zmm1
	vmovapd	%zmm2, 200(%rsp)
	vmovapd	%zmm1, 264(%rsp)
	vmovdqa64	%zmm2, 392(%rsp)
	vmovdqa64	%zmm1, 456(%rsp)
	cmpq	%r9, %rax
	jl	.L3161
	cmpq	%rax, %rcx
	jle	.L3157
.L3158:
	vmovaps	%zmm9, %zmm20
	vmaxps	%zmm22, %zmm5, %zmm22
	vmovaps	%zmm9, %zmm21
	vmovups	608(%rsp), %zmm3
	vmovaps	%zmm9, %zmm26
	vmaxps	%zmm23, %zmm5, %zmm23
	vmovaps	%zmm9, %zmm27
	movq	%rax, %rdx
	vsubps	%zmm0, %zmm3, %zmm1
	salq	$9, %rdx
	addq	%rsi, %rdx
	vmaxps	%zmm1, %zmm5, %zmm1
	vmulps	%zmm6, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm7, %zmm2, %zmm1
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm10, %zmm20
	vfmadd132ps	%zmm1, %zmm11, %zmm20
	vfmadd132ps	%zmm1, %zmm12, %zmm20
	vfmadd132ps	%zmm1, %zmm13, %zmm20
	vfmadd132ps	%zmm1, %zmm14, %zmm20
	vfmadd132ps	%zmm3, %zmm1, %zmm20
	vaddps	%zmm15, %zmm20, %zmm20
	vscalefps	%zmm2, %zmm20, %zmm20
	vmulps	%zmm6, %zmm22, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm7, %zmm2, %zmm22
	vmovaps	%zmm22, %zmm1
	vmovaps	%zmm9, %zmm22
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm10, %zmm21
	vfmadd132ps	%zmm1, %zmm11, %zmm21
	vfmadd132ps	%zmm1, %zmm12, %zmm21
	vfmadd132ps	%zmm1, %zmm13, %zmm21
	vfmadd132ps	%zmm1, %zmm14, %zmm21
	vfmadd132ps	%zmm3, %zmm1, %zmm21
	vmaxps	%zmm17, %zmm5, %zmm1
	vaddps	%zmm15, %zmm21, %zmm21
	vscalefps	%zmm2, %zmm21, %zmm21
	vmulps	%zmm6, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm7, %zmm2, %zmm1
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm10, %zmm22
	vfmadd132ps	%zmm1, %zmm11, %zmm22
	vfmadd132ps	%zmm1, %zmm12, %zmm22
	vfmadd132ps	%zmm1, %zmm13, %zmm22
	vfmadd132ps	%zmm1, %zmm14, %zmm22
	vfmadd132ps	%zmm3, %zmm1, %zmm22
	vmaxps	%zmm18, %zmm5, %zmm1
	vaddps	%zmm15, %zmm22, %zmm22
	vscalefps	%zmm2, %zmm22, %zmm22
	vmulps	%zmm6, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm7, %zmm2, %zmm1
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm10, %zmm26
	vfmadd132ps	%zmm1, %zmm11, %zmm26
	vfmadd132ps	%zmm1, %zmm12, %zmm26
	vfmadd132ps	%zmm1, %zmm13, %zmm26
	vfmadd132ps	%zmm1, %zmm14, %zmm26
	vfmadd132ps	%zmm3, %zmm1, %zmm26
	vmaxps	%zmm25, %zmm5, %zmm1
	vmovaps	%zmm9, %zmm25
	vaddps	%zmm15, %zmm26, %zmm26
	vscalefps	%zmm2, %zmm26, %zmm26
	vmulps	%zmm6, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm7, %zmm2, %zmm1
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm10, %zmm25
	vfmadd132ps	%zmm1, %zmm11, %zmm25
	vfmadd132ps	%zmm1, %zmm12, %zmm25
	vfmadd132ps	%zmm1, %zmm13, %zmm25
	vfmadd132ps	%zmm1, %zmm14, %zmm25
	vfmadd132ps	%zmm3, %zmm1, %zmm25
	vaddps	%zmm15, %zmm25, %zmm25
	vscalefps	%zmm2, %zmm25, %zmm25
	vmulps	%zmm6, %zmm23, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm7, %zmm2, %zmm23
	vmovaps	%zmm23, %zmm1
	vmovaps	%zmm9, %zmm23
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm10, %zmm23
	vfmadd132ps	%zmm1, %zmm11, %zmm23
	vfmadd132ps	%zmm1, %zmm12, %zmm23
	vfmadd132ps	%zmm1, %zmm13, %zmm23
	vfmadd132ps	%zmm1, %zmm14, %zmm23
	vfmadd132ps	%zmm3, %zmm1, %zmm23
	vmaxps	%zmm4, %zmm5, %zmm1
	vaddps	%zmm15, %zmm23, %zmm23
	vscalefps	%zmm2, %zmm23, %zmm23
	vmulps	%zmm6, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm7, %zmm2, %zmm1
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm10, %zmm27
	vfmadd132ps	%zmm1, %zmm11, %zmm27
	vfmadd132ps	%zmm1, %zmm12, %zmm27
	vfmadd132ps	%zmm1, %zmm13, %zmm27
	vfmadd132ps	%zmm1, %zmm14, %zmm27
	vfmadd132ps	%zmm3, %zmm1, %zmm27
	vaddps	%zmm15, %zmm27, %zmm27
	vscalefps	%zmm2, %zmm27, %zmm27
	jmp	.L3165
.L3189:
	vmovaps	%zmm21, %zmm1
	vmovaps	%zmm22, %zmm17
	vmovaps	%zmm26, %zmm19
	vmovaps	%zmm25, %zmm4
	vmovaps	%zmm23, %zmm18
	vmovaps	%zmm27, %zmm16
	vmovaps	%zmm24, %zmm2
.L3164:
	vsubps	%zmm0, %zmm2, %zmm2
	vmovaps	%zmm9, %zmm3
	addq	$1, %rax
	addq	$512, %rdx
	vaddps	%zmm20, %zmm1, %zmm1
	vaddps	%zmm19, %zmm17, %zmm17
	vaddps	%zmm18, %zmm4, %zmm4
	vmaxps	%zmm2, %zmm5, %zmm2
	vaddps	%zmm17, %zmm1, %zmm1
	vmulps	%zmm6, %zmm2, %zmm28
	vrndscaleps	$8, %zmm28, %zmm28
	vfmadd231ps	%zmm7, %zmm28, %zmm2
	vfmadd231ps	%zmm8, %zmm28, %zmm2
	vmulps	%zmm2, %zmm2, %zmm29
	vfmadd132ps	%zmm2, %zmm10, %zmm3
	vfmadd132ps	%zmm2, %zmm11, %zmm3
	vfmadd132ps	%zmm2, %zmm12, %zmm3
	vfmadd132ps	%zmm2, %zmm13, %zmm3
	vfmadd132ps	%zmm2, %zmm14, %zmm3
	vfmadd231ps	%zmm29, %zmm3, %zmm2
	vaddps	%zmm15, %zmm2, %zmm2
	vscalefps	%zmm28, %zmm2, %zmm2
	vaddps	%zmm2, %zmm16, %zmm16
	vaddps	%zmm16, %zmm4, %zmm4
	vaddps	%zmm4, %zmm1, %zmm1
	vcvtps2pd	%ymm1, %zmm2
	vextractf32x8	$0x1, %zmm1, %ymm1
	vaddpd	392(%rsp), %zmm2, %zmm2
	vcvtps2pd	%ymm1, %zmm1
	vaddpd	456(%rsp), %zmm1, %zmm1
	vmovapd	%zmm2, 200(%rsp)
	vmovapd	%zmm1, 264(%rsp)
	vmovdqa64	%zmm2, 392(%rsp)
	vmovdqa64	%zmm1, 456(%rsp)
	cmpq	%rax, %rcx
	jle	.L3157
.L3165:
	cmpq	%rax, %r8
	jle	.L3189
	vmovups	64(%rdx), %zmm4
	vmovaps	%zmm9, %zmm2
	vmovaps	%zmm9, %zmm17
	vmovaps	%zmm9, %zmm19
	vmovaps	%zmm9, %zmm18
	vsubps	%zmm0, %zmm4, %zmm1
	vmaxps	%zmm1, %zmm5, %zmm1
	vmulps	%zmm6, %zmm1, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm7, %zmm3, %zmm1
	vfmadd231ps	%zmm8, %zmm3, %zmm1
	vmulps	%zmm1, %zmm1, %zmm4
	vfmadd132ps	%zmm1, %zmm10, %zmm2
	vfmadd132ps	%zmm1, %zmm11, %zmm2
	vfmadd132ps	%zmm1, %zmm12, %zmm2
	vfmadd132ps	%zmm1, %zmm13, %zmm2
	vfmadd132ps	%zmm1, %zmm14, %zmm2
	vfmadd231ps	%zmm4, %zmm2, %zmm1
	vmovups	128(%rdx), %zmm4
	vsubps	%zmm0, %zmm4, %zmm2
	vaddps	%zmm15, %zmm1, %zmm1
	vmaxps	%zmm2, %zmm5, %zmm2
	vscalefps	%zmm3, %zmm1, %zmm1
	vmulps	%zmm6, %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm7, %zmm3, %zmm2
	vfmadd231ps	%zmm8, %zmm3, %zmm2
	vmulps	%zmm2, %zmm2, %zmm4
	vfmadd132ps	%zmm2, %zmm10, %zmm17
	vfmadd132ps	%zmm2, %zmm11, %zmm17
	vfmadd132ps	%zmm2, %zmm12, %zmm17
	vfmadd132ps	%zmm2, %zmm13, %zmm17
	vfmadd132ps	%zmm2, %zmm14, %zmm17
	vfmadd132ps	%zmm4, %zmm2, %zmm17
	vmovups	192(%rdx), %zmm4
	vsubps	%zmm0, %zmm4, %zmm2
	vaddps	%zmm15, %zmm17, %zmm17
	vmaxps	%zmm2, %zmm5, %zmm2
	vscalefps	%zmm3, %zmm17, %zmm17
	vmulps	%zmm6, %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm7, %zmm3, %zmm2
	vfmadd231ps	%zmm8, %zmm3, %zmm2
	vmulps	%zmm2, %zmm2, %zmm4
	vfmadd132ps	%zmm2, %zmm10, %zmm19
	vfmadd132ps	%zmm2, %zmm11, %zmm19
	vfmadd132ps	%zmm2, %zmm12, %zmm19
	vfmadd132ps	%zmm2, %zmm13, %zmm19
	vfmadd132ps	%zmm2, %zmm14, %zmm19
	vfmadd132ps	%zmm4, %zmm2, %zmm19
	vmovups	256(%rdx), %zmm4
	vsubps	%zmm0, %zmm4, %zmm2
	vmovaps	%zmm9, %zmm4
	vmaxps	%zmm2, %zmm5, %zmm2
	vaddps	%zmm15, %zmm19, %zmm19
	vscalefps	%zmm3, %zmm19, %zmm19
	vmulps	%zmm6, %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm7, %zmm3, %zmm2
	vfmadd231ps	%zmm8, %zmm3, %zmm2
	vmulps	%zmm2, %zmm2, %zmm16
	vfmadd132ps	%zmm2, %zmm10, %zmm4
	vfmadd132ps	%zmm2, %zmm11, %zmm4
	vfmadd132ps	%zmm2, %zmm12, %zmm4
	vfmadd132ps	%zmm2, %zmm13, %zmm4
	vfmadd132ps	%zmm2, %zmm14, %zmm4
	vfmadd132ps	%zmm16, %zmm2, %zmm4
	vaddps	%zmm15, %zmm4, %zmm4
	vscalefps	%zmm3, %zmm4, %zmm4
	vmovups	320(%rdx), %zmm3
	vsubps	%zmm0, %zmm3, %zmm2
	vmaxps	%zmm2, %zmm5, %zmm2
	vmulps	%zmm6, %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm7, %zmm3, %zmm2
	vfmadd231ps	%zmm8, %zmm3, %zmm2
	vmulps	%zmm2, %zmm2, %zmm16
	vfmadd132ps	%zmm2, %zmm10, %zmm18
	vfmadd132ps	%zmm2, %zmm11, %zmm18
	vfmadd132ps	%zmm2, %zmm12, %zmm18
	vfmadd132ps	%zmm2, %zmm13, %zmm18
	vfmadd132ps	%zmm2, %zmm14, %zmm18
	vfmadd132ps	%zmm16, %zmm2, %zmm18
	vmovaps	%zmm9, %zmm16
	vaddps	%zmm15, %zmm18, %zmm18
	vscalefps	%zmm3, %zmm18, %zmm18
	vmovups	384(%rdx), %zmm3
	vsubps	%zmm0, %zmm3, %zmm2
	vmaxps	%zmm2, %zmm5, %zmm2
	vmulps	%zmm6, %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm7, %zmm3, %zmm2
	vfmadd231ps	%zmm8, %zmm3, %zmm2
	vmulps	%zmm2, %zmm2, %zmm28
	vfmadd132ps	%zmm2, %zmm10, %zmm16
	vfmadd132ps	%zmm2, %zmm11, %zmm16
	vfmadd132ps	%zmm2, %zmm12, %zmm16
	vfmadd132ps	%zmm2, %zmm13, %zmm16
	vfmadd132ps	%zmm2, %zmm14, %zmm16
	vfmadd132ps	%zmm28, %zmm2, %zmm16
	vmovups	448(%rdx), %zmm2
	vaddps	%zmm15, %zmm16, %zmm16
	vscalefps	%zmm3, %zmm16, %zmm16
	jmp	.L3164
.L3188:
	vcomiss	.LC97(%rip), %xmm0
	ja	.L3148
	vmovss	.LC27(%rip), %xmm1
	vcomiss	%xmm0, %xmm1
	jbe	.L3149
	jmp	.L3148
.L3169:
	vpxor	%xmm1, %xmm1, %xmm1
	xorl	%r10d, %r10d
	jmp	.L3150
.L3171:
	vpxor	%xmm1, %xmm1, %xmm1
	xorl	%eax, %eax
	vbroadcastss	.LC29(%rip), %zmm5
	vbroadcastss	.LC31(%rip), %zmm6
	vbroadcastss	.LC33(%rip), %zmm7
	vbroadcastss	.LC35(%rip), %zmm8
	vmovdqa64	%zmm1, 392(%rsp)
	vbroadcastss	.LC37(%rip), %zmm9
	vbroadcastss	.LC39(%rip), %zmm10
	vmovdqa64	%zmm1, 456(%rsp)
	vbroadcastss	.LC41(%rip), %zmm11
	vbroadcastss	.LC43(%rip), %zmm12
	vbroadcastss	.LC45(%rip), %zmm13
	vbroadcastss	.LC47(%rip), %zmm14
	vbroadcastss	.LC49(%rip), %zmm15
	jmp	.L3158
.L3159:
	vmovups	64(%rdx), %zmm3
	vmovaps	%zmm9, %zmm29
	vmovaps	%zmm9, %zmm19
	vmovaps	%zmm9, %zmm28
	vsubps	%zmm0, %zmm3, %zmm2
	vmaxps	%zmm2, %zmm5, %zmm2
	vmulps	%zmm6, %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm7, %zmm3, %zmm2
	vfmadd231ps	%zmm8, %zmm3, %zmm2
	vmulps	%zmm2, %zmm2, %zmm16
	vfmadd132ps	%zmm2, %zmm10, %zmm29
	vfmadd132ps	%zmm2, %zmm11, %zmm29
	vfmadd132ps	%zmm2, %zmm12, %zmm29
	vfmadd132ps	%zmm2, %zmm13, %zmm29
	vfmadd132ps	%zmm2, %zmm14, %zmm29
	vfmadd132ps	%zmm16, %zmm2, %zmm29
	vaddps	%zmm15, %zmm29, %zmm29
	vscalefps	%zmm3, %zmm29, %zmm29
	vmovups	128(%rdx), %zmm3
	vsubps	%zmm0, %zmm3, %zmm2
	vmaxps	%zmm2, %zmm5, %zmm2
	vmulps	%zmm6, %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm7, %zmm3, %zmm2
	vfmadd231ps	%zmm8, %zmm3, %zmm2
	vmulps	%zmm2, %zmm2, %zmm16
	vfmadd132ps	%zmm2, %zmm10, %zmm19
	vfmadd132ps	%zmm2, %zmm11, %zmm19
	vfmadd132ps	%zmm2, %zmm12, %zmm19
	vfmadd132ps	%zmm2, %zmm13, %zmm19
	vfmadd132ps	%zmm2, %zmm14, %zmm19
	vfmadd132ps	%zmm16, %zmm2, %zmm19
	vaddps	%zmm15, %zmm19, %zmm19
	vscalefps	%zmm3, %zmm19, %zmm19
	vmovups	192(%rdx), %zmm3
	vsubps	%zmm0, %zmm3, %zmm2
	vmaxps	%zmm2, %zmm5, %zmm2
	vmulps	%zmm6, %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm7, %zmm3, %zmm2
	vfmadd231ps	%zmm8, %zmm3, %zmm2
	vmulps	%zmm2, %zmm2, %zmm16
	vfmadd132ps	%zmm2, %zmm10, %zmm28
	vfmadd132ps	%zmm2, %zmm11, %zmm28
	vfmadd132ps	%zmm2, %zmm12, %zmm28
	vfmadd132ps	%zmm2, %zmm13, %zmm28
	vfmadd132ps	%zmm2, %zmm14, %zmm28
	vfmadd132ps	%zmm16, %zmm2, %zmm28
	vaddps	%zmm15, %zmm28, %zmm28
	vscalefps	%zmm3, %zmm28, %zmm28
	vmovups	256(%rdx), %zmm3
	vsubps	%zmm0, %zmm3, %zmm2
	vmovaps	%zmm9, %zmm3
	vmaxps	%zmm2, %zmm5, %zmm2
	vmulps	%zmm6, %zmm2, %zmm20
	vrndscaleps	$8, %zmm20, %zmm20
	vfmadd231ps	%zmm7, %zmm20, %zmm2
	vfmadd231ps	%zmm8, %zmm20, %zmm2
	vmulps	%zmm2, %zmm2, %zmm16
	vfmadd132ps	%zmm2, %zmm10, %zmm3
	vfmadd132ps	%zmm2, %zmm11, %zmm3
	vfmadd132ps	%zmm2, %zmm12, %zmm3
	vfmadd132ps	%zmm2, %zmm13, %zmm3
	vfmadd132ps	%zmm2, %zmm14, %zmm3
	vfmadd132ps	%zmm3, %zmm2, %zmm16
	vmovups	320(%rdx), %zmm3
	vsubps	%zmm0, %zmm3, %zmm2
	vmovaps	%zmm9, %zmm3
	vmaxps	%zmm2, %zmm5, %zmm2
	vaddps	%zmm15, %zmm16, %zmm16
	vscalefps	%zmm20, %zmm16, %zmm16
	vmulps	%zmm6, %zmm2, %zmm20
	vrndscaleps	$8, %zmm20, %zmm20
	vfmadd231ps	%zmm7, %zmm20, %zmm2
	vfmadd231ps	%zmm8, %zmm20, %zmm2
	vmulps	%zmm2, %zmm2, %zmm21
	vfmadd132ps	%zmm2, %zmm10, %zmm3
	vfmadd132ps	%zmm2, %zmm11, %zmm3
	vfmadd132ps	%zmm2, %zmm12, %zmm3
	vfmadd132ps	%zmm2, %zmm13, %zmm3
	vfmadd132ps	%zmm2, %zmm14, %zmm3
	vfmadd132ps	%zmm3, %zmm2, %zmm21
	vmovups	384(%rdx), %zmm3
	vsubps	%zmm0, %zmm3, %zmm2
	vmovaps	%zmm9, %zmm3
	vmaxps	%zmm2, %zmm5, %zmm2
	vaddps	%zmm15, %zmm21, %zmm21
	vscalefps	%zmm20, %zmm21, %zmm21
	vmulps	%zmm6, %zmm2, %zmm30
	vrndscaleps	$8, %zmm30, %zmm30
	vfmadd231ps	%zmm7, %zmm30, %zmm2
	vfmadd231ps	%zmm8, %zmm30, %zmm2
	vmulps	%zmm2, %zmm2, %zmm20
	vfmadd132ps	%zmm2, %zmm10, %zmm3
	vfmadd132ps	%zmm2, %zmm11, %zmm3
	vfmadd132ps	%zmm2, %zmm12, %zmm3
	vfmadd132ps	%zmm2, %zmm13, %zmm3
	vfmadd132ps	%zmm2, %zmm14, %zmm3
	vfmadd132ps	%zmm3, %zmm2, %zmm20
	vmovups	448(%rdx), %zmm3
	vaddps	%zmm15, %zmm20, %zmm20
	vscalefps	%zmm30, %zmm20, %zmm20
	jmp	.L3160
.L3170:
	vpxor	%xmm0, %xmm0, %xmm0
	vmovdqa64	%zmm0, 392(%rsp)
	vmovdqa64	%zmm0, 456(%rsp)
.L3157:
	vxorpd	%xmm0, %xmm0, %xmm0
	movl	$1, %eax
	vaddsd	392(%rsp), %xmm0, %xmm0
	vaddsd	400(%rsp), %xmm0, %xmm0
	vaddsd	408(%rsp), %xmm0, %xmm0
	vaddsd	416(%rsp), %xmm0, %xmm0
	vaddsd	424(%rsp), %xmm0, %xmm0
	vaddsd	432(%rsp), %xmm0, %xmm0
	vaddsd	440(%rsp), %xmm0, %xmm0
	vaddsd	448(%rsp), %xmm0, %xmm0
	vaddsd	456(%rsp), %xmm0, %xmm0
	vaddsd	464(%rsp), %xmm0, %xmm0
	vaddsd	472(%rsp), %xmm0, %xmm0
	vaddsd	480(%rsp), %xmm0, %xmm0
	vaddsd	488(%rsp), %xmm0, %xmm0
	vaddsd	496(%rsp), %xmm0, %xmm0
	vaddsd	504(%rsp), %xmm0, %xmm0
	vaddsd	512(%rsp), %xmm0, %xmm0
	vmovsd	%xmm0, 16(%rdi)
	vzeroupper
	leaq	-16(%rbp), %rsp
	popq	%rbx
	popq	%r14
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L3187:
	.cfi_restore_state
	vxorps	%xmm1, %xmm1, %xmm1
	vucomiss	%xmm1, %xmm1
	vpxor	%xmm1, %xmm1, %xmm1
	jp	.L3167
	jmp	.L3148
	.cfi_endproc
.LFE7969:
	.size	_ZZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryEENKUlT_E_clINS0_7Float32EEEDaS6_.constprop.0, .-_ZZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryEENKUlT_E_clINS0_7Float32EEEDaS6_.constprop.0
	.align 2
	.p2align 4
	.type	_ZZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryEENKUlT_E_clINS0_7Float16EEEDaS6_.constprop.0, @function
_ZZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryEENKUlT_E_clINS0_7Float16EEEDaS6_.constprop.0:
.LFB7974:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r14
	pushq	%rbx
	andq	$-128, %rsp
	subq	$1160, %rsp
	.cfi_offset 14, -24
	.cfi_offset 3, -32
	vbroadcastss	.LC1(%rip), %zmm0
	movq	(%rdi), %rax
	movq	16(%rax), %rdx
	movq	(%rax), %rsi
	vmovups	%zmm0, 608(%rsp)
	vmovups	%zmm0, 672(%rsp)
	leaq	127(%rdx), %r9
	testq	%rdx, %rdx
	movq	%rdx, %rax
	vmovups	%zmm0, 736(%rsp)
	cmovs	%r9, %rax
	leaq	254(%rdx), %rcx
	vmovups	%zmm0, 800(%rsp)
	vmovups	%zmm0, 864(%rsp)
	vmovups	%zmm0, 928(%rsp)
	movq	%rax, %r8
	vmovups	%zmm0, 992(%rsp)
	sarq	$7, %r8
	testq	%r9, %r9
	vmovups	%zmm0, 1056(%rsp)
	cmovns	%r9, %rcx
	andq	$-128, %rax
	sarq	$7, %rcx
	cmpq	%rax, %rdx
	jle	.L3195
	movq	%rax, %r9
	vpxor	%xmm1, %xmm1, %xmm1
	negq	%r9
	leaq	584(%rsp,%r9,4), %r10
	.p2align 4,,10
	.p2align 3
.L3194:
	vmovdqu8	%xmm1, 362(%rsp)
	movzwl	(%rsi,%rax,2), %r9d
	vmovdqu8	%xmm1, 376(%rsp)
	movw	%r9w, 360(%rsp)
	vcvtph2ps	360(%rsp), %zmm0
	vmovss	%xmm0, 24(%r10,%rax,4)
	addq	$1, %rax
	cmpq	%rax, %rdx
	jne	.L3194
.L3195:
	vmovss	.LC1(%rip), %xmm0
	movq	8(%rdi), %rdi
	movq	(%rdi), %r10
	vmovss	%xmm0, 8(%rdi)
	testq	%rdx, %rdx
	jle	.L3245
	vmovups	608(%rsp), %zmm7
	vmovups	672(%rsp), %zmm6
	vmovups	736(%rsp), %zmm22
	vmovups	800(%rsp), %zmm23
	vmovups	864(%rsp), %zmm5
	vmovups	928(%rsp), %zmm4
	vmovups	992(%rsp), %zmm2
	vmovups	1056(%rsp), %zmm24
	cmpq	$127, %rdx
	jle	.L3226
	cmpq	%rcx, %r8
	movq	%rcx, %r11
	vxorps	%xmm3, %xmm3, %xmm3
	movq	%rsi, %rax
	cmovle	%r8, %r11
	xorl	%r9d, %r9d
	.p2align 4,,10
	.p2align 3
.L3198:
	vcvtph2ps	64(%rax), %zmm11
	vcvtph2ps	96(%rax), %zmm10
	vcvtph2ps	(%rax), %zmm1
	vcvtph2ps	32(%rax), %zmm8
	vmaxps	%zmm11, %zmm1, %zmm0
	vmaxps	%zmm10, %zmm8, %zmm9
	vaddps	%zmm11, %zmm1, %zmm1
	vaddps	%zmm10, %zmm8, %zmm8
	vcvtph2ps	128(%rax), %zmm11
	vcvtph2ps	160(%rax), %zmm10
	vmaxps	%zmm11, %zmm0, %zmm0
	vmaxps	%zmm10, %zmm9, %zmm9
	vaddps	%zmm11, %zmm1, %zmm1
	vaddps	%zmm10, %zmm8, %zmm8
	vcvtph2ps	192(%rax), %zmm11
	vcvtph2ps	224(%rax), %zmm10
	vmaxps	%zmm11, %zmm0, %zmm0
	vmaxps	%zmm10, %zmm9, %zmm9
	vaddps	%zmm11, %zmm1, %zmm1
	vaddps	%zmm10, %zmm8, %zmm8
	vmaxps	%zmm9, %zmm0, %zmm0
	vaddps	%zmm8, %zmm1, %zmm1
	vaddps	%zmm1, %zmm3, %zmm3
	vextractf64x4	$0x1, %zmm0, %ymm1
	vmaxps	%ymm0, %ymm1, %ymm1
	vextractf128	$0x1, %ymm1, %xmm0
	vmaxps	%xmm1, %xmm0, %xmm0
	vpermilps	$78, %xmm0, %xmm1
	vmaxps	%xmm1, %xmm0, %xmm0
	vpermilps	$17, %xmm0, %xmm1
	vmaxps	%xmm1, %xmm0, %xmm0
	vmovaps	%xmm0, %xmm1
	vmovss	%xmm0, (%r10,%r9,4)
	vmovss	8(%rdi), %xmm0
	vmovd	%xmm1, %ebx
	vucomiss	%xmm0, %xmm1
	vmovd	%xmm0, %r14d
	cmovbe	%r14d, %ebx
	addq	$1, %r9
	addq	$256, %rax
	movl	%ebx, 8(%rdi)
	vmovd	%ebx, %xmm0
	cmpq	%r11, %r9
	jl	.L3198
	cmpq	%r9, %rcx
	jle	.L3203
.L3196:
	vmaxps	%zmm22, %zmm7, %zmm0
	vmaxps	%zmm23, %zmm6, %zmm1
	vaddps	%zmm7, %zmm22, %zmm9
	vaddps	%zmm6, %zmm23, %zmm8
	vmaxps	%zmm5, %zmm0, %zmm0
	vmaxps	%zmm4, %zmm1, %zmm1
	vaddps	%zmm9, %zmm5, %zmm9
	vaddps	%zmm8, %zmm4, %zmm8
	vmaxps	%zmm24, %zmm1, %zmm1
	vmaxps	%zmm2, %zmm0, %zmm0
	vaddps	%zmm24, %zmm8, %zmm8
	vaddps	%zmm9, %zmm2, %zmm9
	vmaxps	%zmm1, %zmm0, %zmm0
	vaddps	%zmm9, %zmm8, %zmm8
	vextractf64x4	$0x1, %zmm0, %ymm1
	vmaxps	%ymm0, %ymm1, %ymm0
	vextractf128	$0x1, %ymm0, %xmm1
	vmaxps	%xmm0, %xmm1, %xmm1
	vpermilps	$78, %xmm1, %xmm0
	vmaxps	%xmm0, %xmm1, %xmm1
	vpermilps	$17, %xmm1, %xmm0
	vmaxps	%xmm0, %xmm1, %xmm1
	vmovd	%xmm1, %eax
	.p2align 4,,10
	.p2align 3
.L3202:
	vmovss	%xmm1, (%r10,%r9,4)
	movl	%eax, %ebx
	vucomiss	8(%rdi), %xmm1
	cmovbe	8(%rdi), %ebx
	addq	$1, %r9
	vaddps	%zmm8, %zmm3, %zmm3
	movl	%ebx, 8(%rdi)
	vmovd	%ebx, %xmm0
	cmpq	%r9, %rcx
	jg	.L3202
.L3203:
	vxorps	%xmm1, %xmm1, %xmm1
	vaddss	%xmm1, %xmm0, %xmm0
	vextractf64x4	$0x1, %zmm3, %ymm1
	vaddps	%ymm3, %ymm1, %ymm1
	vmovss	%xmm0, 8(%rdi)
	vextractf128	$0x1, %ymm1, %xmm3
	vaddps	%xmm1, %xmm3, %xmm3
	vpermilps	$78, %xmm3, %xmm1
	vaddps	%xmm3, %xmm1, %xmm1
	vmovaps	%xmm1, %xmm3
	vshufps	$85, %xmm1, %xmm1, %xmm1
	vaddss	%xmm1, %xmm3, %xmm1
	vucomiss	%xmm1, %xmm1
	jnp	.L3246
	cmpq	$127, %rdx
	jle	.L3227
	cmpq	%rcx, %r8
	movq	%rcx, %rbx
	vpxor	%xmm1, %xmm1, %xmm1
	movq	%rsi, %r9
	cmovle	%r8, %rbx
	vpternlogd	$0xFF, %zmm15, %zmm15, %zmm15
	xorl	%r10d, %r10d
	.p2align 4,,10
	.p2align 3
.L3209:
	vcvtph2ps	(%r9), %zmm14
	vcvtph2ps	32(%r9), %zmm13
	vcmpps	$4, %zmm14, %zmm14, %k1
	vcvtph2ps	64(%r9), %zmm12
	vcmpps	$4, %zmm13, %zmm13, %k0
	addq	$1, %r10
	vcvtph2ps	96(%r9), %zmm11
	vcvtph2ps	128(%r9), %zmm10
	vcmpps	$4, %zmm12, %zmm12, %k2
	vcmpps	$4, %zmm11, %zmm11, %k3
	vcvtph2ps	160(%r9), %zmm9
	vcvtph2ps	192(%r9), %zmm8
	kmovw	%k1, %eax
	vcmpps	$4, %zmm10, %zmm10, %k4
	vcmpps	$4, %zmm9, %zmm9, %k5
	vcvtph2ps	224(%r9), %zmm3
	kmovw	%k0, %r14d
	orl	%r14d, %eax
	vcmpps	$4, %zmm8, %zmm8, %k6
	addq	$256, %r9
	kmovw	%k2, %r11d
	orl	%r11d, %eax
	kmovw	%k3, %r11d
	vcmpps	$4, %zmm3, %zmm3, %k1
	orl	%r11d, %eax
	kmovw	%k4, %r11d
	orl	%r11d, %eax
	kmovw	%k5, %r11d
	orl	%r11d, %eax
	kmovw	%k6, %r11d
	orl	%r11d, %eax
	kmovw	%eax, %k7
	korw	%k1, %k7, %k1
	vmovdqa32	%zmm15, %zmm1{%k1}
	cmpq	%rbx, %r10
	jl	.L3209
	cmpq	%rcx, %r10
	jge	.L3225
.L3208:
	vcmpps	$4, %zmm7, %zmm7, %k1
	vcmpps	$4, %zmm6, %zmm6, %k0
	vcmpps	$4, %zmm22, %zmm22, %k2
	vcmpps	$4, %zmm23, %zmm23, %k3
	vcmpps	$4, %zmm5, %zmm5, %k4
	vcmpps	$4, %zmm4, %zmm4, %k5
	kmovw	%k1, %eax
	kmovw	%k0, %ebx
	orl	%ebx, %eax
	vcmpps	$4, %zmm2, %zmm2, %k6
	kmovw	%k2, %r9d
	orl	%r9d, %eax
	kmovw	%k3, %r9d
	vcmpps	$4, %zmm24, %zmm24, %k1
	orl	%r9d, %eax
	kmovw	%k4, %r9d
	vpternlogd	$0xFF, %zmm2, %zmm2, %zmm2
	orl	%r9d, %eax
	kmovw	%k5, %r9d
	orl	%r9d, %eax
	kmovw	%k6, %r9d
	orl	%r9d, %eax
	kmovw	%eax, %k7
	korw	%k7, %k1, %k1
	.p2align 4,,10
	.p2align 3
.L3211:
	addq	$1, %r10
	vmovdqa32	%zmm2, %zmm1{%k1}
	cmpq	%r10, %rcx
	jg	.L3211
.L3225:
	vpmovd2m	%zmm1, %k0
	kortestw	%k0, %k0
	je	.L3213
.L3206:
	xorl	%eax, %eax
	vzeroupper
	leaq	-16(%rbp), %rsp
	popq	%rbx
	popq	%r14
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L3226:
	.cfi_restore_state
	vxorps	%xmm3, %xmm3, %xmm3
	xorl	%r9d, %r9d
	jmp	.L3196
.L3213:
	vmovss	.LC27(%rip), %xmm1
	vcomiss	%xmm0, %xmm1
	ja	.L3206
	vcomiss	.LC97(%rip), %xmm0
	ja	.L3206
	testq	%rdx, %rdx
	jle	.L3228
	vmovups	672(%rsp), %zmm6
	vmovups	736(%rsp), %zmm22
	vmovups	800(%rsp), %zmm23
	vmovups	864(%rsp), %zmm5
	vmovups	928(%rsp), %zmm4
	vmovups	992(%rsp), %zmm2
	vmovups	1056(%rsp), %zmm24
.L3207:
	vbroadcastss	%xmm0, %zmm0
	vsubps	%zmm0, %zmm6, %zmm18
	vsubps	%zmm0, %zmm22, %zmm22
	vsubps	%zmm0, %zmm23, %zmm23
	vsubps	%zmm0, %zmm5, %zmm25
	vsubps	%zmm0, %zmm4, %zmm4
	vsubps	%zmm0, %zmm2, %zmm19
	cmpq	$127, %rdx
	jle	.L3229
	vpxor	%xmm1, %xmm1, %xmm1
	cmpq	%rcx, %r8
	movq	%rcx, %r9
	movq	%rsi, %rdx
	vbroadcastss	.LC29(%rip), %zmm6
	cmovle	%r8, %r9
	xorl	%eax, %eax
	vmovdqa64	%zmm1, 392(%rsp)
	vmovdqa64	%zmm1, 456(%rsp)
	vbroadcastss	.LC31(%rip), %zmm7
	vbroadcastss	.LC33(%rip), %zmm8
	vbroadcastss	.LC35(%rip), %zmm9
	vmaxps	%zmm18, %zmm6, %zmm1
	vbroadcastss	.LC37(%rip), %zmm10
	vbroadcastss	.LC39(%rip), %zmm11
	vbroadcastss	.LC41(%rip), %zmm12
	vmovaps	%zmm10, %zmm31
	vmovaps	%zmm10, %zmm30
	vbroadcastss	.LC43(%rip), %zmm13
	vbroadcastss	.LC45(%rip), %zmm14
	vmulps	%zmm7, %zmm1, %zmm2
	vmovaps	%zmm10, %zmm29
	vbroadcastss	.LC47(%rip), %zmm15
	vbroadcastss	.LC49(%rip), %zmm16
	vmovaps	%zmm10, %zmm28
	vmovaps	%zmm10, %zmm27
	vmovaps	%zmm10, %zmm26
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vfmadd231ps	%zmm9, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm11, %zmm31
	vfmadd132ps	%zmm1, %zmm12, %zmm31
	vfmadd132ps	%zmm1, %zmm13, %zmm31
	vfmadd132ps	%zmm1, %zmm14, %zmm31
	vfmadd132ps	%zmm1, %zmm15, %zmm31
	vfmadd132ps	%zmm3, %zmm1, %zmm31
	vmaxps	%zmm22, %zmm6, %zmm1
	vaddps	%zmm16, %zmm31, %zmm31
	vscalefps	%zmm2, %zmm31, %zmm31
	vmulps	%zmm7, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vmovaps	%zmm31, 136(%rsp)
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vfmadd231ps	%zmm9, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm11, %zmm30
	vfmadd132ps	%zmm1, %zmm12, %zmm30
	vfmadd132ps	%zmm1, %zmm13, %zmm30
	vfmadd132ps	%zmm1, %zmm14, %zmm30
	vfmadd132ps	%zmm1, %zmm15, %zmm30
	vfmadd132ps	%zmm3, %zmm1, %zmm30
	vmaxps	%zmm23, %zmm6, %zmm1
	vaddps	%zmm16, %zmm30, %zmm30
	vscalefps	%zmm2, %zmm30, %zmm30
	vmulps	%zmm7, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vmovaps	%zmm30, 72(%rsp)
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vfmadd231ps	%zmm9, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm11, %zmm29
	vfmadd132ps	%zmm1, %zmm12, %zmm29
	vfmadd132ps	%zmm1, %zmm13, %zmm29
	vfmadd132ps	%zmm1, %zmm14, %zmm29
	vfmadd132ps	%zmm1, %zmm15, %zmm29
	vfmadd132ps	%zmm3, %zmm1, %zmm29
	vmaxps	%zmm25, %zmm6, %zmm1
	vaddps	%zmm16, %zmm29, %zmm29
	vscalefps	%zmm2, %zmm29, %zmm29
	vmulps	%zmm7, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vmovaps	%zmm29, 8(%rsp)
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vfmadd231ps	%zmm9, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm11, %zmm28
	vfmadd132ps	%zmm1, %zmm12, %zmm28
	vfmadd132ps	%zmm1, %zmm13, %zmm28
	vfmadd132ps	%zmm1, %zmm14, %zmm28
	vfmadd132ps	%zmm1, %zmm15, %zmm28
	vfmadd132ps	%zmm3, %zmm1, %zmm28
	vaddps	%zmm16, %zmm28, %zmm28
	vscalefps	%zmm2, %zmm28, %zmm28
	vmaxps	%zmm4, %zmm6, %zmm2
	vmulps	%zmm7, %zmm2, %zmm1
	vmovaps	%zmm28, -56(%rsp)
	vrndscaleps	$8, %zmm1, %zmm1
	vfmadd231ps	%zmm8, %zmm1, %zmm2
	vfmadd231ps	%zmm9, %zmm1, %zmm2
	vmulps	%zmm2, %zmm2, %zmm3
	vfmadd132ps	%zmm2, %zmm11, %zmm27
	vfmadd132ps	%zmm2, %zmm12, %zmm27
	vfmadd132ps	%zmm2, %zmm13, %zmm27
	vfmadd132ps	%zmm2, %zmm14, %zmm27
	vfmadd132ps	%zmm2, %zmm15, %zmm27
	vfmadd132ps	%zmm3, %zmm2, %zmm27
	vmaxps	%zmm19, %zmm6, %zmm2
	vaddps	%zmm16, %zmm27, %zmm27
	vscalefps	%zmm1, %zmm27, %zmm27
	vmulps	%zmm7, %zmm2, %zmm1
	vrndscaleps	$8, %zmm1, %zmm1
	vfmadd231ps	%zmm8, %zmm1, %zmm2
	vfmadd231ps	%zmm9, %zmm1, %zmm2
	vmulps	%zmm2, %zmm2, %zmm3
	vfmadd132ps	%zmm2, %zmm11, %zmm26
	vfmadd132ps	%zmm2, %zmm12, %zmm26
	vfmadd132ps	%zmm2, %zmm13, %zmm26
	vfmadd132ps	%zmm2, %zmm14, %zmm26
	vfmadd132ps	%zmm2, %zmm15, %zmm26
	vfmadd132ps	%zmm3, %zmm2, %zmm26
	vaddps	%zmm16, %zmm26, %zmm26
	vscalefps	%zmm1, %zmm26, %zmm26
.L3219:
	vcvtph2ps	(%rdx), %zmm1
	vsubps	%zmm0, %zmm1, %zmm1
	vmovaps	%zmm10, %zmm2
	vmaxps	%zmm1, %zmm6, %zmm1
	vmulps	%zmm7, %zmm1, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm8, %zmm3, %zmm1
	vfmadd231ps	%zmm9, %zmm3, %zmm1
	vmulps	%zmm1, %zmm1, %zmm5
	vfmadd132ps	%zmm1, %zmm11, %zmm2
	vfmadd132ps	%zmm1, %zmm12, %zmm2
	vfmadd132ps	%zmm1, %zmm13, %zmm2
	vfmadd132ps	%zmm1, %zmm14, %zmm2
	vfmadd132ps	%zmm1, %zmm15, %zmm2
	vfmadd231ps	%zmm5, %zmm2, %zmm1
	vaddps	%zmm16, %zmm1, %zmm1
	vscalefps	%zmm3, %zmm1, %zmm1
	cmpq	%rax, %r8
	jg	.L3217
	vmovaps	72(%rsp), %zmm20
	vmovaps	8(%rsp), %zmm28
	vmovaps	%zmm27, %zmm21
	vmovaps	%zmm26, %zmm17
	vmovaps	-56(%rsp), %zmm5
	vmovaps	%zmm24, %zmm2
	vmovaps	136(%rsp), %zmm29
.L3218:
	vsubps	%zmm0, %zmm2, %zmm2
	vmovaps	%zmm10, %zmm3
	addq	$1, %rax
	addq	$256, %rdx
	vaddps	%zmm29, %zmm1, %zmm1
	vaddps	%zmm28, %zmm20, %zmm20
	vaddps	%zmm21, %zmm5, %zmm5
	vmaxps	%zmm2, %zmm6, %zmm2
	vaddps	%zmm20, %zmm1, %zmm1
	vmulps	%zmm7, %zmm2, %zmm30
	vrndscaleps	$8, %zmm30, %zmm30
	vfmadd231ps	%zmm8, %zmm30, %zmm2
	vfmadd231ps	%zmm9, %zmm30, %zmm2
	vmulps	%zmm2, %zmm2, %zmm31
	vfmadd132ps	%zmm2, %zmm11, %zmm3
	vfmadd132ps	%zmm2, %zmm12, %zmm3
	vfmadd132ps	%zmm2, %zmm13, %zmm3
	vfmadd132ps	%zmm2, %zmm14, %zmm3
	vfmadd132ps	%zmm2, %zmm15, %zmm3
	vfmadd132ps	%zmm31, %zmm2, %zmm3
	vaddps	%zmm16, %zmm3, %zmm3
	vscalefps	%zmm30, %zmm3, %zmm3
	vaddps	%zmm3, %zmm17, %zmm17
	vaddps	%zmm17, %zmm5, %zmm5
	vaddps	%zmm5, %zmm1, %zmm1
	vcvtps2pd	%ymm1, %zmm2
	vextractf32x8	$0x1, %zmm1, %ymm1
	vaddpd	392(%rsp), %zmm2, %zmm2
	vcvtps2pd	%ymm1, %zmm1
	vaddpd	456(%rsp), %zmm1, %zmm1
	vmovapd	%zmm2, 200(%rsp)
	vmovapd	%zmm1, 264(%rsp)
	vmovdqa64	%zmm2, 392(%rsp)
	vmovdqa64	%zmm1, 456(%rsp)
	cmpq	%r9, %rax
	jl	.L3219
	cmpq	%rax, %rcx
	jle	.L3215
.L3216:
	vmovaps	%zmm10, %zmm20
	vmaxps	%zmm22, %zmm6, %zmm22
	vmaxps	%zmm23, %zmm6, %zmm23
	movq	%rax, %rdx
	vmovups	608(%rsp), %zmm5
	vmovaps	%zmm10, %zmm21
	salq	$8, %rdx
	addq	%rsi, %rdx
	vsubps	%zmm0, %zmm5, %zmm1
	vmaxps	%zmm1, %zmm6, %zmm1
	vmulps	%zmm7, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vfmadd231ps	%zmm9, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm11, %zmm20
	vfmadd132ps	%zmm1, %zmm12, %zmm20
	vfmadd132ps	%zmm1, %zmm13, %zmm20
	vfmadd132ps	%zmm1, %zmm14, %zmm20
	vfmadd132ps	%zmm1, %zmm15, %zmm20
	vfmadd132ps	%zmm3, %zmm1, %zmm20
	vmaxps	%zmm18, %zmm6, %zmm1
	vmovaps	%zmm10, %zmm18
	vaddps	%zmm16, %zmm20, %zmm20
	vscalefps	%zmm2, %zmm20, %zmm20
	vmulps	%zmm7, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vfmadd231ps	%zmm9, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm11, %zmm18
	vfmadd132ps	%zmm1, %zmm12, %zmm18
	vfmadd132ps	%zmm1, %zmm13, %zmm18
	vfmadd132ps	%zmm1, %zmm14, %zmm18
	vfmadd132ps	%zmm1, %zmm15, %zmm18
	vfmadd132ps	%zmm3, %zmm1, %zmm18
	vaddps	%zmm16, %zmm18, %zmm18
	vscalefps	%zmm2, %zmm18, %zmm18
	vmulps	%zmm7, %zmm22, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm8, %zmm2, %zmm22
	vmovaps	%zmm22, %zmm1
	vmovaps	%zmm10, %zmm22
	vfmadd231ps	%zmm9, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm11, %zmm21
	vfmadd132ps	%zmm1, %zmm12, %zmm21
	vfmadd132ps	%zmm1, %zmm13, %zmm21
	vfmadd132ps	%zmm1, %zmm14, %zmm21
	vfmadd132ps	%zmm1, %zmm15, %zmm21
	vfmadd132ps	%zmm3, %zmm1, %zmm21
	vaddps	%zmm16, %zmm21, %zmm21
	vscalefps	%zmm2, %zmm21, %zmm21
	vmulps	%zmm7, %zmm23, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm8, %zmm2, %zmm23
	vmovaps	%zmm23, %zmm1
	vmovaps	%zmm10, %zmm23
	vfmadd231ps	%zmm9, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm11, %zmm22
	vfmadd132ps	%zmm1, %zmm12, %zmm22
	vfmadd132ps	%zmm1, %zmm13, %zmm22
	vfmadd132ps	%zmm1, %zmm14, %zmm22
	vfmadd132ps	%zmm1, %zmm15, %zmm22
	vfmadd132ps	%zmm3, %zmm1, %zmm22
	vmaxps	%zmm25, %zmm6, %zmm1
	vmovaps	%zmm10, %zmm25
	vaddps	%zmm16, %zmm22, %zmm22
	vscalefps	%zmm2, %zmm22, %zmm22
	vmulps	%zmm7, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vfmadd231ps	%zmm9, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm11, %zmm23
	vfmadd132ps	%zmm1, %zmm12, %zmm23
	vfmadd132ps	%zmm1, %zmm13, %zmm23
	vfmadd132ps	%zmm1, %zmm14, %zmm23
	vfmadd132ps	%zmm1, %zmm15, %zmm23
	vfmadd132ps	%zmm3, %zmm1, %zmm23
	vmaxps	%zmm4, %zmm6, %zmm1
	vaddps	%zmm16, %zmm23, %zmm23
	vscalefps	%zmm2, %zmm23, %zmm23
	vmulps	%zmm7, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vfmadd231ps	%zmm9, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm11, %zmm25
	vfmadd132ps	%zmm1, %zmm12, %zmm25
	vfmadd132ps	%zmm1, %zmm13, %zmm25
	vfmadd132ps	%zmm1, %zmm14, %zmm25
	vfmadd132ps	%zmm1, %zmm15, %zmm25
	vfmadd132ps	%zmm3, %zmm1, %zmm25
	vmaxps	%zmm19, %zmm6, %zmm1
	vmovaps	%zmm10, %zmm19
	vaddps	%zmm16, %zmm25, %zmm25
	vscalefps	%zmm2, %zmm25, %zmm25
	vmulps	%zmm7, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vfmadd231ps	%zmm9, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm11, %zmm19
	vfmadd132ps	%zmm1, %zmm12, %zmm19
	vfmadd132ps	%zmm1, %zmm13, %zmm19
	vfmadd132ps	%zmm1, %zmm14, %zmm19
	vfmadd132ps	%zmm1, %zmm15, %zmm19
	vfmadd132ps	%zmm3, %zmm1, %zmm19
	vaddps	%zmm16, %zmm19, %zmm19
	vscalefps	%zmm2, %zmm19, %zmm19
	jmp	.L3223
.L3247:
	vmovaps	%zmm18, %zmm1
	vmovaps	%zmm21, %zmm4
	vmovaps	%zmm22, %zmm26
	vmovaps	%zmm23, %zmm3
	vmovaps	%zmm25, %zmm17
	vmovaps	%zmm19, %zmm5
	vmovaps	%zmm24, %zmm28
.L3222:
	vsubps	%zmm0, %zmm28, %zmm28
	vmovaps	%zmm10, %zmm2
	addq	$1, %rax
	addq	$256, %rdx
	vaddps	%zmm20, %zmm1, %zmm1
	vaddps	%zmm26, %zmm4, %zmm4
	vaddps	%zmm17, %zmm3, %zmm3
	vmaxps	%zmm28, %zmm6, %zmm28
	vaddps	%zmm4, %zmm1, %zmm1
	vmulps	%zmm7, %zmm28, %zmm27
	vrndscaleps	$8, %zmm27, %zmm27
	vfmadd231ps	%zmm8, %zmm27, %zmm28
	vfmadd231ps	%zmm9, %zmm27, %zmm28
	vmulps	%zmm28, %zmm28, %zmm29
	vfmadd132ps	%zmm28, %zmm11, %zmm2
	vfmadd132ps	%zmm28, %zmm12, %zmm2
	vfmadd132ps	%zmm28, %zmm13, %zmm2
	vfmadd132ps	%zmm28, %zmm14, %zmm2
	vfmadd132ps	%zmm28, %zmm15, %zmm2
	vfmadd132ps	%zmm29, %zmm28, %zmm2
	vaddps	%zmm16, %zmm2, %zmm2
	vscalefps	%zmm27, %zmm2, %zmm2
	vaddps	%zmm5, %zmm2, %zmm2
	vaddps	%zmm2, %zmm3, %zmm3
	vaddps	%zmm3, %zmm1, %zmm1
	vcvtps2pd	%ymm1, %zmm2
	vextractf32x8	$0x1, %zmm1, %ymm1
	vaddpd	392(%rsp), %zmm2, %zmm2
	vcvtps2pd	%ymm1, %zmm1
	vaddpd	456(%rsp), %zmm1, %zmm1
	vmovapd	%zmm2, 200(%rsp)
	vmovapd	%zmm1, 264(%rsp)
	vmovdqa64	%zmm2, 392(%rsp)
	vmovdqa64	%zmm1, 456(%rsp)
	cmpq	%rax, %rcx
	jle	.L3215
.L3223:
	cmpq	%rax, %r8
	jle	.L3247
	vcvtph2ps	32(%rdx), %zmm1
	vsubps	%zmm0, %zmm1, %zmm1
	vmovaps	%zmm10, %zmm2
	vmovaps	%zmm10, %zmm26
	vmaxps	%zmm1, %zmm6, %zmm1
	vmulps	%zmm7, %zmm1, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm8, %zmm3, %zmm1
	vfmadd231ps	%zmm9, %zmm3, %zmm1
	vmulps	%zmm1, %zmm1, %zmm4
	vfmadd132ps	%zmm1, %zmm11, %zmm2
	vfmadd132ps	%zmm1, %zmm12, %zmm2
	vfmadd132ps	%zmm1, %zmm13, %zmm2
	vfmadd132ps	%zmm1, %zmm14, %zmm2
	vfmadd132ps	%zmm1, %zmm15, %zmm2
	vfmadd231ps	%zmm4, %zmm2, %zmm1
	vcvtph2ps	64(%rdx), %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vmovaps	%zmm10, %zmm4
	vmaxps	%zmm2, %zmm6, %zmm2
	vaddps	%zmm16, %zmm1, %zmm1
	vscalefps	%zmm3, %zmm1, %zmm1
	vmulps	%zmm7, %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm8, %zmm3, %zmm2
	vfmadd231ps	%zmm9, %zmm3, %zmm2
	vmulps	%zmm2, %zmm2, %zmm5
	vfmadd132ps	%zmm2, %zmm11, %zmm4
	vfmadd132ps	%zmm2, %zmm12, %zmm4
	vfmadd132ps	%zmm2, %zmm13, %zmm4
	vfmadd132ps	%zmm2, %zmm14, %zmm4
	vfmadd132ps	%zmm2, %zmm15, %zmm4
	vfmadd132ps	%zmm5, %zmm2, %zmm4
	vcvtph2ps	96(%rdx), %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vmaxps	%zmm2, %zmm6, %zmm2
	vaddps	%zmm16, %zmm4, %zmm4
	vscalefps	%zmm3, %zmm4, %zmm4
	vmulps	%zmm7, %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm8, %zmm3, %zmm2
	vfmadd231ps	%zmm9, %zmm3, %zmm2
	vmulps	%zmm2, %zmm2, %zmm5
	vfmadd132ps	%zmm2, %zmm11, %zmm26
	vfmadd132ps	%zmm2, %zmm12, %zmm26
	vfmadd132ps	%zmm2, %zmm13, %zmm26
	vfmadd132ps	%zmm2, %zmm14, %zmm26
	vfmadd132ps	%zmm2, %zmm15, %zmm26
	vfmadd132ps	%zmm5, %zmm2, %zmm26
	vcvtph2ps	128(%rdx), %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vmaxps	%zmm2, %zmm6, %zmm2
	vaddps	%zmm16, %zmm26, %zmm26
	vmulps	%zmm7, %zmm2, %zmm5
	vscalefps	%zmm3, %zmm26, %zmm26
	vmovaps	%zmm10, %zmm3
	vrndscaleps	$8, %zmm5, %zmm5
	vfmadd231ps	%zmm8, %zmm5, %zmm2
	vfmadd231ps	%zmm9, %zmm5, %zmm2
	vmulps	%zmm2, %zmm2, %zmm17
	vfmadd132ps	%zmm2, %zmm11, %zmm3
	vfmadd132ps	%zmm2, %zmm12, %zmm3
	vfmadd132ps	%zmm2, %zmm13, %zmm3
	vfmadd132ps	%zmm2, %zmm14, %zmm3
	vfmadd132ps	%zmm2, %zmm15, %zmm3
	vfmadd132ps	%zmm17, %zmm2, %zmm3
	vmovaps	%zmm10, %zmm17
	vcvtph2ps	160(%rdx), %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vmaxps	%zmm2, %zmm6, %zmm2
	vaddps	%zmm16, %zmm3, %zmm3
	vscalefps	%zmm5, %zmm3, %zmm3
	vmulps	%zmm7, %zmm2, %zmm5
	vrndscaleps	$8, %zmm5, %zmm5
	vfmadd231ps	%zmm8, %zmm5, %zmm2
	vfmadd231ps	%zmm9, %zmm5, %zmm2
	vmulps	%zmm2, %zmm2, %zmm27
	vfmadd132ps	%zmm2, %zmm11, %zmm17
	vfmadd132ps	%zmm2, %zmm12, %zmm17
	vfmadd132ps	%zmm2, %zmm13, %zmm17
	vfmadd132ps	%zmm2, %zmm14, %zmm17
	vfmadd132ps	%zmm2, %zmm15, %zmm17
	vfmadd132ps	%zmm27, %zmm2, %zmm17
	vcvtph2ps	192(%rdx), %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vmaxps	%zmm2, %zmm6, %zmm2
	vaddps	%zmm16, %zmm17, %zmm17
	vmulps	%zmm7, %zmm2, %zmm27
	vscalefps	%zmm5, %zmm17, %zmm17
	vmovaps	%zmm10, %zmm5
	vrndscaleps	$8, %zmm27, %zmm27
	vfmadd231ps	%zmm8, %zmm27, %zmm2
	vfmadd231ps	%zmm9, %zmm27, %zmm2
	vmulps	%zmm2, %zmm2, %zmm28
	vfmadd132ps	%zmm2, %zmm11, %zmm5
	vfmadd132ps	%zmm2, %zmm12, %zmm5
	vfmadd132ps	%zmm2, %zmm13, %zmm5
	vfmadd132ps	%zmm2, %zmm14, %zmm5
	vfmadd132ps	%zmm2, %zmm15, %zmm5
	vfmadd132ps	%zmm28, %zmm2, %zmm5
	vcvtph2ps	224(%rdx), %zmm28
	vaddps	%zmm16, %zmm5, %zmm5
	vscalefps	%zmm27, %zmm5, %zmm5
	jmp	.L3222
.L3246:
	vmovss	.LC27(%rip), %xmm1
	vcomiss	%xmm0, %xmm1
	ja	.L3206
	vcomiss	.LC97(%rip), %xmm0
	jbe	.L3207
	jmp	.L3206
.L3227:
	vpxor	%xmm1, %xmm1, %xmm1
	xorl	%r10d, %r10d
	jmp	.L3208
.L3229:
	vpxor	%xmm1, %xmm1, %xmm1
	xorl	%eax, %eax
	vbroadcastss	.LC29(%rip), %zmm6
	vbroadcastss	.LC31(%rip), %zmm7
	vbroadcastss	.LC33(%rip), %zmm8
	vbroadcastss	.LC35(%rip), %zmm9
	vmovdqa64	%zmm1, 392(%rsp)
	vbroadcastss	.LC37(%rip), %zmm10
	vbroadcastss	.LC39(%rip), %zmm11
	vmovdqa64	%zmm1, 456(%rsp)
	vbroadcastss	.LC41(%rip), %zmm12
	vbroadcastss	.LC43(%rip), %zmm13
	vbroadcastss	.LC45(%rip), %zmm14
	vbroadcastss	.LC47(%rip), %zmm15
	vbroadcastss	.LC49(%rip), %zmm16
	jmp	.L3216
.L3217:
	vcvtph2ps	32(%rdx), %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vmovaps	%zmm10, %zmm29
	vmovaps	%zmm10, %zmm20
	vmovaps	%zmm10, %zmm28
	vmaxps	%zmm2, %zmm6, %zmm2
	vmulps	%zmm7, %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm8, %zmm3, %zmm2
	vfmadd231ps	%zmm9, %zmm3, %zmm2
	vmulps	%zmm2, %zmm2, %zmm5
	vfmadd132ps	%zmm2, %zmm11, %zmm29
	vfmadd132ps	%zmm2, %zmm12, %zmm29
	vfmadd132ps	%zmm2, %zmm13, %zmm29
	vfmadd132ps	%zmm2, %zmm14, %zmm29
	vfmadd132ps	%zmm2, %zmm15, %zmm29
	vfmadd132ps	%zmm5, %zmm2, %zmm29
	vcvtph2ps	64(%rdx), %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vmaxps	%zmm2, %zmm6, %zmm2
	vaddps	%zmm16, %zmm29, %zmm29
	vscalefps	%zmm3, %zmm29, %zmm29
	vmulps	%zmm7, %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm8, %zmm3, %zmm2
	vfmadd231ps	%zmm9, %zmm3, %zmm2
	vmulps	%zmm2, %zmm2, %zmm5
	vfmadd132ps	%zmm2, %zmm11, %zmm20
	vfmadd132ps	%zmm2, %zmm12, %zmm20
	vfmadd132ps	%zmm2, %zmm13, %zmm20
	vfmadd132ps	%zmm2, %zmm14, %zmm20
	vfmadd132ps	%zmm2, %zmm15, %zmm20
	vfmadd132ps	%zmm5, %zmm2, %zmm20
	vcvtph2ps	96(%rdx), %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vmaxps	%zmm2, %zmm6, %zmm2
	vaddps	%zmm16, %zmm20, %zmm20
	vscalefps	%zmm3, %zmm20, %zmm20
	vmulps	%zmm7, %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm8, %zmm3, %zmm2
	vfmadd231ps	%zmm9, %zmm3, %zmm2
	vmulps	%zmm2, %zmm2, %zmm5
	vfmadd132ps	%zmm2, %zmm11, %zmm28
	vfmadd132ps	%zmm2, %zmm12, %zmm28
	vfmadd132ps	%zmm2, %zmm13, %zmm28
	vfmadd132ps	%zmm2, %zmm14, %zmm28
	vfmadd132ps	%zmm2, %zmm15, %zmm28
	vfmadd132ps	%zmm5, %zmm2, %zmm28
	vcvtph2ps	128(%rdx), %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vmaxps	%zmm2, %zmm6, %zmm2
	vaddps	%zmm16, %zmm28, %zmm28
	vmulps	%zmm7, %zmm2, %zmm17
	vscalefps	%zmm3, %zmm28, %zmm28
	vmovaps	%zmm10, %zmm3
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm8, %zmm17, %zmm2
	vfmadd231ps	%zmm9, %zmm17, %zmm2
	vmulps	%zmm2, %zmm2, %zmm5
	vfmadd132ps	%zmm2, %zmm11, %zmm3
	vfmadd132ps	%zmm2, %zmm12, %zmm3
	vfmadd132ps	%zmm2, %zmm13, %zmm3
	vfmadd132ps	%zmm2, %zmm14, %zmm3
	vfmadd132ps	%zmm2, %zmm15, %zmm3
	vfmadd132ps	%zmm3, %zmm2, %zmm5
	vmovaps	%zmm10, %zmm3
	vcvtph2ps	160(%rdx), %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vmaxps	%zmm2, %zmm6, %zmm2
	vaddps	%zmm16, %zmm5, %zmm5
	vscalefps	%zmm17, %zmm5, %zmm5
	vmulps	%zmm7, %zmm2, %zmm17
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm8, %zmm17, %zmm2
	vfmadd231ps	%zmm9, %zmm17, %zmm2
	vmulps	%zmm2, %zmm2, %zmm21
	vfmadd132ps	%zmm2, %zmm11, %zmm3
	vfmadd132ps	%zmm2, %zmm12, %zmm3
	vfmadd132ps	%zmm2, %zmm13, %zmm3
	vfmadd132ps	%zmm2, %zmm14, %zmm3
	vfmadd132ps	%zmm2, %zmm15, %zmm3
	vfmadd132ps	%zmm3, %zmm2, %zmm21
	vmovaps	%zmm10, %zmm3
	vcvtph2ps	192(%rdx), %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vmaxps	%zmm2, %zmm6, %zmm2
	vaddps	%zmm16, %zmm21, %zmm21
	vmulps	%zmm7, %zmm2, %zmm30
	vscalefps	%zmm17, %zmm21, %zmm21
	vrndscaleps	$8, %zmm30, %zmm30
	vfmadd231ps	%zmm8, %zmm30, %zmm2
	vfmadd231ps	%zmm9, %zmm30, %zmm2
	vmulps	%zmm2, %zmm2, %zmm17
	vfmadd132ps	%zmm2, %zmm11, %zmm3
	vfmadd132ps	%zmm2, %zmm12, %zmm3
	vfmadd132ps	%zmm2, %zmm13, %zmm3
	vfmadd132ps	%zmm2, %zmm14, %zmm3
	vfmadd132ps	%zmm2, %zmm15, %zmm3
	vfmadd132ps	%zmm3, %zmm2, %zmm17
	vcvtph2ps	224(%rdx), %zmm2
	vaddps	%zmm16, %zmm17, %zmm17
	vscalefps	%zmm30, %zmm17, %zmm17
	jmp	.L3218
.L3228:
	vpxor	%xmm0, %xmm0, %xmm0
	vmovdqa64	%zmm0, 392(%rsp)
	vmovdqa64	%zmm0, 456(%rsp)
.L3215:
	vxorpd	%xmm0, %xmm0, %xmm0
	movl	$1, %eax
	vaddsd	392(%rsp), %xmm0, %xmm0
	vaddsd	400(%rsp), %xmm0, %xmm0
	vaddsd	408(%rsp), %xmm0, %xmm0
	vaddsd	416(%rsp), %xmm0, %xmm0
	vaddsd	424(%rsp), %xmm0, %xmm0
	vaddsd	432(%rsp), %xmm0, %xmm0
	vaddsd	440(%rsp), %xmm0, %xmm0
	vaddsd	448(%rsp), %xmm0, %xmm0
	vaddsd	456(%rsp), %xmm0, %xmm0
	vaddsd	464(%rsp), %xmm0, %xmm0
	vaddsd	472(%rsp), %xmm0, %xmm0
	vaddsd	480(%rsp), %xmm0, %xmm0
	vaddsd	488(%rsp), %xmm0, %xmm0
	vaddsd	496(%rsp), %xmm0, %xmm0
	vaddsd	504(%rsp), %xmm0, %xmm0
	vaddsd	512(%rsp), %xmm0, %xmm0
	vmovsd	%xmm0, 16(%rdi)
	vzeroupper
	leaq	-16(%rbp), %rsp
	popq	%rbx
	popq	%r14
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L3245:
	.cfi_restore_state
	vxorps	%xmm1, %xmm1, %xmm1
	vucomiss	%xmm1, %xmm1
	vpxor	%xmm1, %xmm1, %xmm1
	jp	.L3225
	jmp	.L3206
	.cfi_endproc
.LFE7974:
	.size	_ZZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryEENKUlT_E_clINS0_7Float16EEEDaS6_.constprop.0, .-_ZZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryEENKUlT_E_clINS0_7Float16EEEDaS6_.constprop.0
	.align 2
	.p2align 4
	.type	_ZZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryEENKUlT_E_clINS0_8BFloat16EEEDaS6_.constprop.0, @function
_ZZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryEENKUlT_E_clINS0_8BFloat16EEEDaS6_.constprop.0:
.LFB7975:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r14
	pushq	%rbx
	andq	$-128, %rsp
	subq	$1160, %rsp
	.cfi_offset 14, -24
	.cfi_offset 3, -32
	vbroadcastss	.LC1(%rip), %zmm0
	movq	(%rdi), %rax
	movq	16(%rax), %rdx
	movq	(%rax), %rsi
	vmovups	%zmm0, 608(%rsp)
	vmovups	%zmm0, 672(%rsp)
	leaq	127(%rdx), %r9
	testq	%rdx, %rdx
	movq	%rdx, %rax
	vmovups	%zmm0, 736(%rsp)
	cmovs	%r9, %rax
	leaq	254(%rdx), %rcx
	vmovups	%zmm0, 800(%rsp)
	vmovups	%zmm0, 864(%rsp)
	vmovups	%zmm0, 928(%rsp)
	movq	%rax, %r8
	vmovups	%zmm0, 992(%rsp)
	sarq	$7, %r8
	testq	%r9, %r9
	vmovups	%zmm0, 1056(%rsp)
	cmovns	%r9, %rcx
	andq	$-128, %rax
	sarq	$7, %rcx
	cmpq	%rax, %rdx
	jle	.L3253
	movq	%rax, %r9
	vpxor	%xmm1, %xmm1, %xmm1
	negq	%r9
	leaq	584(%rsp,%r9,4), %r10
	.p2align 4,,10
	.p2align 3
.L3252:
	vmovdqu8	%xmm1, 362(%rsp)
	movzwl	(%rsi,%rax,2), %r9d
	vmovdqu8	%xmm1, 376(%rsp)
	movw	%r9w, 360(%rsp)
	vpmovzxwd	360(%rsp), %zmm0
	vpslld	$16, %zmm0, %zmm0
	vmovss	%xmm0, 24(%r10,%rax,4)
	addq	$1, %rax
	cmpq	%rax, %rdx
	jne	.L3252
.L3253:
	vmovss	.LC1(%rip), %xmm0
	movq	8(%rdi), %rdi
	movq	(%rdi), %r10
	vmovss	%xmm0, 8(%rdi)
	testq	%rdx, %rdx
	jle	.L3303
	vmovups	608(%rsp), %zmm7
	vmovups	672(%rsp), %zmm6
	vmovups	736(%rsp), %zmm4
	vmovups	800(%rsp), %zmm5
	vmovups	864(%rsp), %zmm22
	vmovups	928(%rsp), %zmm23
	vmovups	992(%rsp), %zmm2
	vmovups	1056(%rsp), %zmm24
	cmpq	$127, %rdx
	jle	.L3284
	cmpq	%rcx, %r8
	movq	%rcx, %r11
	vxorps	%xmm3, %xmm3, %xmm3
	movq	%rsi, %rax
	cmovle	%r8, %r11
	xorl	%r9d, %r9d
	.p2align 4,,10
	.p2align 3
.L3256:
	vpmovzxwd	(%rax), %zmm11
	vpmovzxwd	32(%rax), %zmm10
	vpmovzxwd	64(%rax), %zmm0
	vpmovzxwd	96(%rax), %zmm8
	vpslld	$16, %zmm11, %zmm11
	vpslld	$16, %zmm10, %zmm10
	vpslld	$16, %zmm0, %zmm0
	vpslld	$16, %zmm8, %zmm8
	vmaxps	%zmm0, %zmm11, %zmm1
	vmaxps	%zmm8, %zmm10, %zmm9
	vaddps	%zmm11, %zmm0, %zmm0
	vaddps	%zmm10, %zmm8, %zmm8
	vpmovzxwd	128(%rax), %zmm11
	vpmovzxwd	160(%rax), %zmm10
	vpslld	$16, %zmm11, %zmm11
	vpslld	$16, %zmm10, %zmm10
	vmaxps	%zmm11, %zmm1, %zmm1
	vmaxps	%zmm10, %zmm9, %zmm9
	vaddps	%zmm11, %zmm0, %zmm0
	vaddps	%zmm10, %zmm8, %zmm8
	vpmovzxwd	192(%rax), %zmm11
	vpmovzxwd	224(%rax), %zmm10
	vpslld	$16, %zmm11, %zmm11
	vpslld	$16, %zmm10, %zmm10
	vaddps	%zmm11, %zmm0, %zmm0
	vaddps	%zmm10, %zmm8, %zmm8
	vmaxps	%zmm11, %zmm1, %zmm1
	vmaxps	%zmm10, %zmm9, %zmm9
	vaddps	%zmm8, %zmm0, %zmm0
	vaddps	%zmm0, %zmm3, %zmm3
	vmaxps	%zmm9, %zmm1, %zmm0
	vextractf64x4	$0x1, %zmm0, %ymm1
	vmaxps	%ymm0, %ymm1, %ymm1
	vextractf128	$0x1, %ymm1, %xmm0
	vmaxps	%xmm1, %xmm0, %xmm0
	vpermilps	$78, %xmm0, %xmm1
	vmaxps	%xmm1, %xmm0, %xmm0
	vpermilps	$17, %xmm0, %xmm1
	vmaxps	%xmm1, %xmm0, %xmm0
	vmovaps	%xmm0, %xmm1
	vmovss	%xmm0, (%r10,%r9,4)
	vmovss	8(%rdi), %xmm0
	vmovd	%xmm1, %ebx
	vucomiss	%xmm0, %xmm1
	vmovd	%xmm0, %r14d
	cmovbe	%r14d, %ebx
	addq	$1, %r9
	addq	$256, %rax
	movl	%ebx, 8(%rdi)
	vmovd	%ebx, %xmm0
	cmpq	%r11, %r9
	jl	.L3256
	cmpq	%r9, %rcx
	jle	.L3261
.L3254:
	vmaxps	%zmm4, %zmm7, %zmm0
	vmaxps	%zmm5, %zmm6, %zmm1
	vaddps	%zmm4, %zmm7, %zmm9
	vaddps	%zmm5, %zmm6, %zmm8
	vmaxps	%zmm22, %zmm0, %zmm0
	vmaxps	%zmm23, %zmm1, %zmm1
	vaddps	%zmm22, %zmm9, %zmm9
	vaddps	%zmm23, %zmm8, %zmm8
	vmaxps	%zmm24, %zmm1, %zmm1
	vmaxps	%zmm2, %zmm0, %zmm0
	vaddps	%zmm24, %zmm8, %zmm8
	vaddps	%zmm2, %zmm9, %zmm9
	vmaxps	%zmm1, %zmm0, %zmm0
	vaddps	%zmm9, %zmm8, %zmm8
	vextractf64x4	$0x1, %zmm0, %ymm1
	vmaxps	%ymm0, %ymm1, %ymm0
	vextractf128	$0x1, %ymm0, %xmm1
	vmaxps	%xmm0, %xmm1, %xmm1
	vpermilps	$78, %xmm1, %xmm0
	vmaxps	%xmm0, %xmm1, %xmm1
	vpermilps	$17, %xmm1, %xmm0
	vmaxps	%xmm0, %xmm1, %xmm1
	vmovd	%xmm1, %eax
	.p2align 4,,10
	.p2align 3
.L3260:
	vmovss	%xmm1, (%r10,%r9,4)
	movl	%eax, %ebx
	vucomiss	8(%rdi), %xmm1
	cmovbe	8(%rdi), %ebx
	addq	$1, %r9
	vaddps	%zmm8, %zmm3, %zmm3
	movl	%ebx, 8(%rdi)
	vmovd	%ebx, %xmm0
	cmpq	%r9, %rcx
	jg	.L3260
.L3261:
	vxorps	%xmm1, %xmm1, %xmm1
	vaddss	%xmm1, %xmm0, %xmm0
	vextractf64x4	$0x1, %zmm3, %ymm1
	vaddps	%ymm3, %ymm1, %ymm1
	vmovss	%xmm0, 8(%rdi)
	vextractf128	$0x1, %ymm1, %xmm3
	vaddps	%xmm1, %xmm3, %xmm3
	vpermilps	$78, %xmm3, %xmm1
	vaddps	%xmm3, %xmm1, %xmm1
	vmovaps	%xmm1, %xmm3
	vshufps	$85, %xmm1, %xmm1, %xmm1
	vaddss	%xmm1, %xmm3, %xmm1
	vucomiss	%xmm1, %xmm1
	jnp	.L3304
	cmpq	$127, %rdx
	jle	.L3285
	cmpq	%rcx, %r8
	movq	%rcx, %rbx
	vpxor	%xmm14, %xmm14, %xmm14
	movq	%rsi, %r9
	cmovle	%r8, %rbx
	vpternlogd	$0xFF, %zmm15, %zmm15, %zmm15
	xorl	%r10d, %r10d
	.p2align 4,,10
	.p2align 3
.L3267:
	vpmovzxwd	(%r9), %zmm13
	vpmovzxwd	32(%r9), %zmm12
	addq	$1, %r10
	addq	$256, %r9
	vpmovzxwd	-128(%r9), %zmm9
	vpmovzxwd	-96(%r9), %zmm8
	vpslld	$16, %zmm13, %zmm13
	vpslld	$16, %zmm12, %zmm12
	vpmovzxwd	-192(%r9), %zmm11
	vpmovzxwd	-160(%r9), %zmm10
	vcmpps	$4, %zmm13, %zmm13, %k1
	vcmpps	$4, %zmm12, %zmm12, %k0
	vpmovzxwd	-64(%r9), %zmm3
	vpmovzxwd	-32(%r9), %zmm1
	vpslld	$16, %zmm11, %zmm11
	vpslld	$16, %zmm10, %zmm10
	vcmpps	$4, %zmm11, %zmm11, %k3
	vcmpps	$4, %zmm10, %zmm10, %k4
	vpslld	$16, %zmm9, %zmm9
	kmovw	%k1, %eax
	kmovw	%k0, %r14d
	vpslld	$16, %zmm8, %zmm8
	vcmpps	$4, %zmm9, %zmm9, %k5
	orl	%r14d, %eax
	kmovw	%k3, %r11d
	vcmpps	$4, %zmm8, %zmm8, %k6
	orl	%r11d, %eax
	kmovw	%k4, %r11d
	vpslld	$16, %zmm3, %zmm3
	vpslld	$16, %zmm1, %zmm1
	orl	%r11d, %eax
	vcmpps	$4, %zmm3, %zmm3, %k7
	kmovw	%k5, %r11d
	vcmpps	$4, %zmm1, %zmm1, %k1
	orl	%r11d, %eax
	kmovw	%k6, %r11d
	orl	%r11d, %eax
	kmovw	%k7, %r11d
	orl	%r11d, %eax
	kmovw	%eax, %k2
	korw	%k1, %k2, %k1
	vmovdqa32	%zmm15, %zmm14{%k1}
	cmpq	%rbx, %r10
	jl	.L3267
	cmpq	%rcx, %r10
	jge	.L3283
.L3266:
	vcmpps	$4, %zmm6, %zmm6, %k1
	vcmpps	$4, %zmm4, %zmm4, %k2
	vpternlogd	$0xFF, %zmm1, %zmm1, %zmm1
	vcmpps	$4, %zmm5, %zmm5, %k3
	vcmpps	$4, %zmm22, %zmm22, %k4
	vcmpps	$4, %zmm23, %zmm23, %k5
	vcmpps	$4, %zmm2, %zmm2, %k6
	kmovw	%k1, %ebx
	kmovw	%k2, %eax
	orl	%ebx, %eax
	vcmpps	$4, %zmm7, %zmm7, %k0
	kmovw	%k3, %r9d
	orl	%r9d, %eax
	vcmpps	$4, %zmm24, %zmm24, %k1
	kmovw	%k4, %r9d
	orl	%r9d, %eax
	kmovw	%k5, %r9d
	orl	%r9d, %eax
	kmovw	%k6, %r9d
	orl	%r9d, %eax
	korw	%k0, %k1, %k1
	kmovw	%eax, %k7
	korw	%k7, %k1, %k1
	.p2align 4,,10
	.p2align 3
.L3269:
	addq	$1, %r10
	vmovdqa32	%zmm1, %zmm14{%k1}
	cmpq	%r10, %rcx
	jg	.L3269
.L3283:
	vpmovd2m	%zmm14, %k0
	kortestw	%k0, %k0
	je	.L3271
.L3264:
	xorl	%eax, %eax
	vzeroupper
	leaq	-16(%rbp), %rsp
	popq	%rbx
	popq	%r14
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L3284:
	.cfi_restore_state
	vxorps	%xmm3, %xmm3, %xmm3
	xorl	%r9d, %r9d
	jmp	.L3254
.L3271:
	vmovss	.LC27(%rip), %xmm1
	vcomiss	%xmm0, %xmm1
	ja	.L3264
	vcomiss	.LC97(%rip), %xmm0
	ja	.L3264
	testq	%rdx, %rdx
	jle	.L3286
	vmovups	672(%rsp), %zmm6
	vmovups	736(%rsp), %zmm4
	vmovups	800(%rsp), %zmm5
	vmovups	864(%rsp), %zmm22
	vmovups	928(%rsp), %zmm23
	vmovups	992(%rsp), %zmm2
	vmovups	1056(%rsp), %zmm24
.L3265:
	vbroadcastss	%xmm0, %zmm0
	vsubps	%zmm0, %zmm6, %zmm18
	vsubps	%zmm0, %zmm4, %zmm4
	vsubps	%zmm0, %zmm5, %zmm25
	vsubps	%zmm0, %zmm22, %zmm22
	vsubps	%zmm0, %zmm23, %zmm23
	vsubps	%zmm0, %zmm2, %zmm19
	cmpq	$127, %rdx
	jle	.L3287
	vpxor	%xmm1, %xmm1, %xmm1
	cmpq	%rcx, %r8
	movq	%rcx, %r9
	movq	%rsi, %rdx
	vbroadcastss	.LC29(%rip), %zmm6
	cmovle	%r8, %r9
	xorl	%eax, %eax
	vmovdqa64	%zmm1, 392(%rsp)
	vmovdqa64	%zmm1, 456(%rsp)
	vbroadcastss	.LC31(%rip), %zmm7
	vbroadcastss	.LC33(%rip), %zmm8
	vbroadcastss	.LC35(%rip), %zmm9
	vmaxps	%zmm18, %zmm6, %zmm1
	vbroadcastss	.LC37(%rip), %zmm10
	vbroadcastss	.LC39(%rip), %zmm11
	vbroadcastss	.LC41(%rip), %zmm12
	vmovaps	%zmm10, %zmm31
	vmovaps	%zmm10, %zmm30
	vbroadcastss	.LC43(%rip), %zmm13
	vbroadcastss	.LC45(%rip), %zmm14
	vmulps	%zmm7, %zmm1, %zmm2
	vmovaps	%zmm10, %zmm29
	vbroadcastss	.LC47(%rip), %zmm15
	vbroadcastss	.LC49(%rip), %zmm16
	vmovaps	%zmm10, %zmm28
	vmovaps	%zmm10, %zmm27
	vmovaps	%zmm10, %zmm26
	vrndscaleps	$8, %zmm2, %zmm2
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vfmadd231ps	%zmm9, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm11, %zmm31
	vfmadd132ps	%zmm1, %zmm12, %zmm31
	vfmadd132ps	%zmm1, %zmm13, %zmm31
	vfmadd132ps	%zmm1, %zmm14, %zmm31
	vfmadd132ps	%zmm1, %zmm15, %zmm31
	vfmadd132ps	%zmm3, %zmm1, %zmm31
	vmaxps	%zmm4, %zmm6, %zmm1
	vaddps	%zmm16, %zmm31, %zmm31
	vscalefps	%zmm2, %zmm31, %zmm31
	vmulps	%zmm7, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vmovaps	%zmm31, 136(%rsp)
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vfmadd231ps	%zmm9, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm11, %zmm30
	vfmadd132ps	%zmm1, %zmm12, %zmm30
	vfmadd132ps	%zmm1, %zmm13, %zmm30
	vfmadd132ps	%zmm1, %zmm14, %zmm30
	vfmadd132ps	%zmm1, %zmm15, %zmm30
	vfmadd132ps	%zmm3, %zmm1, %zmm30
	vmaxps	%zmm25, %zmm6, %zmm1
	vaddps	%zmm16, %zmm30, %zmm30
	vscalefps	%zmm2, %zmm30, %zmm30
	vmulps	%zmm7, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vmovaps	%zmm30, 72(%rsp)
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vfmadd231ps	%zmm9, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm11, %zmm29
	vfmadd132ps	%zmm1, %zmm12, %zmm29
	vfmadd132ps	%zmm1, %zmm13, %zmm29
	vfmadd132ps	%zmm1, %zmm14, %zmm29
	vfmadd132ps	%zmm1, %zmm15, %zmm29
	vfmadd132ps	%zmm3, %zmm1, %zmm29
	vmaxps	%zmm22, %zmm6, %zmm1
	vaddps	%zmm16, %zmm29, %zmm29
	vscalefps	%zmm2, %zmm29, %zmm29
	vmulps	%zmm7, %zmm1, %zmm2
	vrndscaleps	$8, %zmm2, %zmm2
	vmovaps	%zmm29, 8(%rsp)
	vfmadd231ps	%zmm8, %zmm2, %zmm1
	vfmadd231ps	%zmm9, %zmm2, %zmm1
	vmulps	%zmm1, %zmm1, %zmm3
	vfmadd132ps	%zmm1, %zmm11, %zmm28
	vfmadd132ps	%zmm1, %zmm12, %zmm28
	vfmadd132ps	%zmm1, %zmm13, %zmm28
	vfmadd132ps	%zmm1, %zmm14, %zmm28
	vfmadd132ps	%zmm1, %zmm15, %zmm28
	vfmadd132ps	%zmm3, %zmm1, %zmm28
	vaddps	%zmm16, %zmm28, %zmm28
	vscalefps	%zmm2, %zmm28, %zmm28
	vmaxps	%zmm23, %zmm6, %zmm2
	vmulps	%zmm7, %zmm2, %zmm1
	vmovaps	%zmm28, -56(%rsp)
	vrndscaleps	$8, %zmm1, %zmm1
	vfmadd231ps	%zmm8, %zmm1, %zmm2
	vfmadd231ps	%zmm9, %zmm1, %zmm2
	vmulps	%zmm2, %zmm2, %zmm3
	vfmadd132ps	%zmm2, %zmm11, %zmm27
	vfmadd132ps	%zmm2, %zmm12, %zmm27
	vfmadd132ps	%zmm2, %zmm13, %zmm27
	vfmadd132ps	%zmm2, %zmm14, %zmm27
	vfmadd132ps	%zmm2, %zmm15, %zmm27
	vfmadd132ps	%zmm3, %zmm2, %zmm27
	vmaxps	%zmm19, %zmm6, %zmm2
	vaddps	%zmm16, %zmm27, %zmm27
	vscalefps	%zmm1, %zmm27, %zmm27
	vmulps	%zmm7, %zmm2, %zmm1
	vrndscaleps	$8, %zmm1, %zmm1
	vfmadd231ps	%zmm8, %zmm1, %zmm2
	vfmadd231ps	%zmm9, %zmm1, %zmm2
	vmulps	%zmm2, %zmm2, %zmm3
	vfmadd132ps	%zmm2, %zmm11, %zmm26
	vfmadd132ps	%zmm2, %zmm12, %zmm26
	vfmadd132ps	%zmm2, %zmm13, %zmm26
	vfmadd132ps	%zmm2, %zmm14, %zmm26
	vfmadd132ps	%zmm2, %zmm15, %zmm26
	vfmadd132ps	%zmm3, %zmm2, %zmm26
	vaddps	%zmm16, %zmm26, %zmm26
	vscalefps	%zmm1, %zmm26, %zmm26
.L3277:
	vpmovzxwd	(%rdx), %zmm1
	vmovaps	%zmm10, %zmm2
	vpslld	$16, %zmm1, %zmm1
	vsubps	%zmm0, %zmm1, %zmm1
	vmaxps	%zmm1, %zmm6, %zmm1
	vmulps	%zmm7, %zmm1, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm8, %zmm3, %zmm1
	vfmadd231ps	%zmm9, %zmm3, %zmm1
	vmulps	%zmm1, %zmm1, %zmm5
	vfmadd132ps	%zmm1, %zmm11, %zmm2
	vfmadd132ps	%zmm1, %zmm12, %zmm2
	vfmadd132ps	%zmm1, %zmm13, %zmm2
	vfmadd132ps	%zmm1, %zmm14, %zmm2
	vfmadd132ps	%zmm1, %zmm15, %zmm2
	vfmadd231ps	%zmm5, %zmm2, %zmm1
	vaddps	%zmm16, %zmm1, %zmm1
	vscalefps	%zmm3, %zmm1, %zmm1
	cmpq	%rax, %r8
	jg	.L3275
	vmovaps	72(%rsp), %zmm20
	vmovaps	8(%rsp), %zmm28
	vmovaps	%zmm27, %zmm21
	vmovaps	%zmm26, %zmm17
	vmovaps	-56(%rsp), %zmm5
	vmovaps	%zmm24, %zmm2
	vmovaps	136(%rsp), %zmm29
.L3276:
	vsubps	%zmm0, %zmm2, %zmm2
	vmovaps	%zmm10, %zmm3
	addq	$1, %rax
	addq	$256, %rdx
	vaddps	%zmm29, %zmm1, %zmm1
	vaddps	%zmm28, %zmm20, %zmm20
	vaddps	%zmm21, %zmm5, %zmm5
	vmaxps	%zmm2, %zmm6, %zmm2
	vaddps	%zmm20, %zmm1, %zmm1
	vmulps	%zmm7, %zmm2, %zmm30
	vrndscaleps	$8, %zmm30, %zmm30
	vfmadd231ps	%zmm8, %zmm30, %zmm2
	vfmadd231ps	%zmm9, %zmm30, %zmm2
	vmulps	%zmm2, %zmm2, %zmm31
	vfmadd132ps	%zmm2, %zmm11, %zmm3
	vfmadd132ps	%zmm2, %zmm12, %zmm3
	vfmadd132ps	%zmm2, %zmm13, %zmm3
	vfmadd132ps	%zmm2, %zmm14, %zmm3
	vfmadd132ps	%zmm2, %zmm15, %zmm3
	vfmadd132ps	%zmm31, %zmm2, %zmm3
	vaddps	%zmm16, %zmm3, %zmm3
	vscalefps	%zmm30, %zmm3, %zmm3
	vaddps	%zmm3, %zmm17, %zmm17
	vaddps	%zmm17, %zmm5, %zmm5
	vaddps	%zmm5, %zmm1, %zmm1
	vcvtps2pd	%ymm1, %zmm2
	vextractf32x8	$0x1, %zmm1, %ymm1
	vaddpd	392(%rsp), %zmm2, %zmm2
	vcvtps2pd	%ymm1, %zmm1
	vaddpd	456(%rsp), %zmm1, %zmm1
	vmovapd	%zmm2, 200(%rsp)
	vmovapd	%zmm1, 264(%rsp)
	vmovdqa64	%zmm2, 392(%rsp)
	vmovdqa64	%zmm1, 456(%rsp)
	cmpq	%r9, %rax
	jl	.L3277
	cmpq	%rax, %rcx
	jle	.L3273
.L3274:
	vmovaps	%zmm10, %zmm2
	vmaxps	%zmm22, %zmm6, %zmm22
	vmaxps	%zmm23, %zmm6, %zmm23
	movq	%rax, %rdx
	vmovups	608(%rsp), %zmm5
	salq	$8, %rdx
	addq	%rsi, %rdx
	vsubps	%zmm0, %zmm5, %zmm1
	vmaxps	%zmm1, %zmm6, %zmm1
	vmulps	%zmm7, %zmm1, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm8, %zmm3, %zmm1
	vfmadd231ps	%zmm9, %zmm3, %zmm1
	vmulps	%zmm1, %zmm1, %zmm5
	vfmadd132ps	%zmm1, %zmm11, %zmm2
	vfmadd132ps	%zmm1, %zmm12, %zmm2
	vfmadd132ps	%zmm1, %zmm13, %zmm2
	vfmadd132ps	%zmm1, %zmm14, %zmm2
	vfmadd132ps	%zmm1, %zmm15, %zmm2
	vfmadd132ps	%zmm5, %zmm1, %zmm2
	vmaxps	%zmm18, %zmm6, %zmm1
	vmulps	%zmm7, %zmm1, %zmm5
	vaddps	%zmm16, %zmm2, %zmm2
	vrndscaleps	$8, %zmm5, %zmm5
	vscalefps	%zmm3, %zmm2, %zmm2
	vmovaps	%zmm10, %zmm3
	vfmadd231ps	%zmm8, %zmm5, %zmm1
	vfmadd231ps	%zmm9, %zmm5, %zmm1
	vmulps	%zmm1, %zmm1, %zmm17
	vfmadd132ps	%zmm1, %zmm11, %zmm3
	vfmadd132ps	%zmm1, %zmm12, %zmm3
	vfmadd132ps	%zmm1, %zmm13, %zmm3
	vfmadd132ps	%zmm1, %zmm14, %zmm3
	vfmadd132ps	%zmm1, %zmm15, %zmm3
	vfmadd132ps	%zmm17, %zmm1, %zmm3
	vmaxps	%zmm4, %zmm6, %zmm1
	vmovaps	%zmm10, %zmm4
	vaddps	%zmm16, %zmm3, %zmm3
	vscalefps	%zmm5, %zmm3, %zmm3
	vmulps	%zmm7, %zmm1, %zmm5
	vrndscaleps	$8, %zmm5, %zmm5
	vfmadd231ps	%zmm8, %zmm5, %zmm1
	vfmadd231ps	%zmm9, %zmm5, %zmm1
	vmulps	%zmm1, %zmm1, %zmm17
	vfmadd132ps	%zmm1, %zmm11, %zmm4
	vfmadd132ps	%zmm1, %zmm12, %zmm4
	vfmadd132ps	%zmm1, %zmm13, %zmm4
	vfmadd132ps	%zmm1, %zmm14, %zmm4
	vfmadd132ps	%zmm1, %zmm15, %zmm4
	vfmadd132ps	%zmm17, %zmm1, %zmm4
	vmaxps	%zmm25, %zmm6, %zmm1
	vmulps	%zmm7, %zmm1, %zmm17
	vaddps	%zmm16, %zmm4, %zmm4
	vrndscaleps	$8, %zmm17, %zmm17
	vscalefps	%zmm5, %zmm4, %zmm4
	vmovaps	%zmm10, %zmm5
	vfmadd231ps	%zmm8, %zmm17, %zmm1
	vfmadd231ps	%zmm9, %zmm17, %zmm1
	vmulps	%zmm1, %zmm1, %zmm18
	vfmadd132ps	%zmm1, %zmm11, %zmm5
	vfmadd132ps	%zmm1, %zmm12, %zmm5
	vfmadd132ps	%zmm1, %zmm13, %zmm5
	vfmadd132ps	%zmm1, %zmm14, %zmm5
	vfmadd132ps	%zmm1, %zmm15, %zmm5
	vfmadd132ps	%zmm18, %zmm1, %zmm5
	vmulps	%zmm7, %zmm22, %zmm18
	vaddps	%zmm16, %zmm5, %zmm5
	vrndscaleps	$8, %zmm18, %zmm18
	vscalefps	%zmm17, %zmm5, %zmm5
	vmovaps	%zmm10, %zmm17
	vfmadd231ps	%zmm8, %zmm18, %zmm22
	vmovaps	%zmm22, %zmm1
	vfmadd231ps	%zmm9, %zmm18, %zmm1
	vmulps	%zmm1, %zmm1, %zmm20
	vfmadd132ps	%zmm1, %zmm11, %zmm17
	vfmadd132ps	%zmm1, %zmm12, %zmm17
	vfmadd132ps	%zmm1, %zmm13, %zmm17
	vfmadd132ps	%zmm1, %zmm14, %zmm17
	vfmadd132ps	%zmm1, %zmm15, %zmm17
	vfmadd132ps	%zmm20, %zmm1, %zmm17
	vmulps	%zmm7, %zmm23, %zmm20
	vaddps	%zmm16, %zmm17, %zmm17
	vrndscaleps	$8, %zmm20, %zmm20
	vscalefps	%zmm18, %zmm17, %zmm17
	vmovaps	%zmm10, %zmm18
	vfmadd231ps	%zmm8, %zmm20, %zmm23
	vmovaps	%zmm23, %zmm1
	vfmadd231ps	%zmm9, %zmm20, %zmm1
	vmulps	%zmm1, %zmm1, %zmm21
	vfmadd132ps	%zmm1, %zmm11, %zmm18
	vfmadd132ps	%zmm1, %zmm12, %zmm18
	vfmadd132ps	%zmm1, %zmm13, %zmm18
	vfmadd132ps	%zmm1, %zmm14, %zmm18
	vfmadd132ps	%zmm1, %zmm15, %zmm18
	vfmadd132ps	%zmm21, %zmm1, %zmm18
	vmaxps	%zmm19, %zmm6, %zmm1
	vmovaps	%zmm10, %zmm19
	vaddps	%zmm16, %zmm18, %zmm18
	vscalefps	%zmm20, %zmm18, %zmm18
	vmulps	%zmm7, %zmm1, %zmm20
	vrndscaleps	$8, %zmm20, %zmm20
	vfmadd231ps	%zmm8, %zmm20, %zmm1
	vfmadd231ps	%zmm9, %zmm20, %zmm1
	vmulps	%zmm1, %zmm1, %zmm21
	vfmadd132ps	%zmm1, %zmm11, %zmm19
	vfmadd132ps	%zmm1, %zmm12, %zmm19
	vfmadd132ps	%zmm1, %zmm13, %zmm19
	vfmadd132ps	%zmm1, %zmm14, %zmm19
	vfmadd132ps	%zmm1, %zmm15, %zmm19
	vfmadd132ps	%zmm21, %zmm1, %zmm19
	vaddps	%zmm16, %zmm19, %zmm19
	vscalefps	%zmm20, %zmm19, %zmm19
	jmp	.L3281
.L3305:
	vmovaps	%zmm3, %zmm21
	vmovaps	%zmm4, %zmm23
	vmovaps	%zmm5, %zmm20
	vmovaps	%zmm17, %zmm25
	vmovaps	%zmm18, %zmm22
	vmovaps	%zmm19, %zmm26
	vmovaps	%zmm24, %zmm28
.L3280:
	vsubps	%zmm0, %zmm28, %zmm28
	vmovaps	%zmm10, %zmm1
	addq	$1, %rax
	addq	$256, %rdx
	vaddps	%zmm25, %zmm22, %zmm22
	vaddps	%zmm23, %zmm20, %zmm20
	vaddps	%zmm2, %zmm21, %zmm21
	vmaxps	%zmm28, %zmm6, %zmm28
	vaddps	%zmm21, %zmm20, %zmm20
	vmulps	%zmm7, %zmm28, %zmm27
	vrndscaleps	$8, %zmm27, %zmm27
	vfmadd231ps	%zmm8, %zmm27, %zmm28
	vfmadd231ps	%zmm9, %zmm27, %zmm28
	vmulps	%zmm28, %zmm28, %zmm29
	vfmadd132ps	%zmm28, %zmm11, %zmm1
	vfmadd132ps	%zmm28, %zmm12, %zmm1
	vfmadd132ps	%zmm28, %zmm13, %zmm1
	vfmadd132ps	%zmm28, %zmm14, %zmm1
	vfmadd132ps	%zmm28, %zmm15, %zmm1
	vfmadd132ps	%zmm29, %zmm28, %zmm1
	vaddps	%zmm16, %zmm1, %zmm1
	vscalefps	%zmm27, %zmm1, %zmm1
	vaddps	%zmm26, %zmm1, %zmm1
	vaddps	%zmm22, %zmm1, %zmm1
	vaddps	%zmm20, %zmm1, %zmm1
	vcvtps2pd	%ymm1, %zmm20
	vextractf32x8	$0x1, %zmm1, %ymm1
	vaddpd	392(%rsp), %zmm20, %zmm20
	vcvtps2pd	%ymm1, %zmm1
	vaddpd	456(%rsp), %zmm1, %zmm1
	vmovapd	%zmm20, 200(%rsp)
	vmovapd	%zmm1, 264(%rsp)
	vmovdqa64	%zmm20, 392(%rsp)
	vmovdqa64	%zmm1, 456(%rsp)
	cmpq	%rax, %rcx
	jle	.L3273
.L3281:
	cmpq	%rax, %r8
	jle	.L3305
	vpmovzxwd	32(%rdx), %zmm1
	vmovaps	%zmm10, %zmm21
	vmovaps	%zmm10, %zmm23
	vpslld	$16, %zmm1, %zmm1
	vsubps	%zmm0, %zmm1, %zmm1
	vmaxps	%zmm1, %zmm6, %zmm1
	vmulps	%zmm7, %zmm1, %zmm20
	vrndscaleps	$8, %zmm20, %zmm20
	vfmadd231ps	%zmm8, %zmm20, %zmm1
	vfmadd231ps	%zmm9, %zmm20, %zmm1
	vmulps	%zmm1, %zmm1, %zmm22
	vfmadd132ps	%zmm1, %zmm11, %zmm21
	vfmadd132ps	%zmm1, %zmm12, %zmm21
	vfmadd132ps	%zmm1, %zmm13, %zmm21
	vfmadd132ps	%zmm1, %zmm14, %zmm21
	vfmadd132ps	%zmm1, %zmm15, %zmm21
	vfmadd132ps	%zmm22, %zmm1, %zmm21
	vpmovzxwd	64(%rdx), %zmm1
	vpslld	$16, %zmm1, %zmm1
	vsubps	%zmm0, %zmm1, %zmm1
	vaddps	%zmm16, %zmm21, %zmm21
	vmaxps	%zmm1, %zmm6, %zmm1
	vscalefps	%zmm20, %zmm21, %zmm21
	vmulps	%zmm7, %zmm1, %zmm20
	vrndscaleps	$8, %zmm20, %zmm20
	vfmadd231ps	%zmm8, %zmm20, %zmm1
	vfmadd231ps	%zmm9, %zmm20, %zmm1
	vmulps	%zmm1, %zmm1, %zmm22
	vfmadd132ps	%zmm1, %zmm11, %zmm23
	vfmadd132ps	%zmm1, %zmm12, %zmm23
	vfmadd132ps	%zmm1, %zmm13, %zmm23
	vfmadd132ps	%zmm1, %zmm14, %zmm23
	vfmadd132ps	%zmm1, %zmm15, %zmm23
	vfmadd132ps	%zmm22, %zmm1, %zmm23
	vpmovzxwd	96(%rdx), %zmm1
	vpslld	$16, %zmm1, %zmm1
	vsubps	%zmm0, %zmm1, %zmm1
	vaddps	%zmm16, %zmm23, %zmm23
	vmaxps	%zmm1, %zmm6, %zmm1
	vscalefps	%zmm20, %zmm23, %zmm23
	vmovaps	%zmm10, %zmm20
	vmulps	%zmm7, %zmm1, %zmm22
	vrndscaleps	$8, %zmm22, %zmm22
	vfmadd231ps	%zmm8, %zmm22, %zmm1
	vfmadd231ps	%zmm9, %zmm22, %zmm1
	vmulps	%zmm1, %zmm1, %zmm25
	vfmadd132ps	%zmm1, %zmm11, %zmm20
	vfmadd132ps	%zmm1, %zmm12, %zmm20
	vfmadd132ps	%zmm1, %zmm13, %zmm20
	vfmadd132ps	%zmm1, %zmm14, %zmm20
	vfmadd132ps	%zmm1, %zmm15, %zmm20
	vfmadd132ps	%zmm25, %zmm1, %zmm20
	vmovaps	%zmm10, %zmm25
	vpmovzxwd	128(%rdx), %zmm1
	vpslld	$16, %zmm1, %zmm1
	vsubps	%zmm0, %zmm1, %zmm1
	vaddps	%zmm16, %zmm20, %zmm20
	vmaxps	%zmm1, %zmm6, %zmm1
	vscalefps	%zmm22, %zmm20, %zmm20
	vmulps	%zmm7, %zmm1, %zmm22
	vrndscaleps	$8, %zmm22, %zmm22
	vfmadd231ps	%zmm8, %zmm22, %zmm1
	vfmadd231ps	%zmm9, %zmm22, %zmm1
	vmulps	%zmm1, %zmm1, %zmm26
	vfmadd132ps	%zmm1, %zmm11, %zmm25
	vfmadd132ps	%zmm1, %zmm12, %zmm25
	vfmadd132ps	%zmm1, %zmm13, %zmm25
	vfmadd132ps	%zmm1, %zmm14, %zmm25
	vfmadd132ps	%zmm1, %zmm15, %zmm25
	vfmadd132ps	%zmm26, %zmm1, %zmm25
	vpmovzxwd	160(%rdx), %zmm1
	vpslld	$16, %zmm1, %zmm1
	vsubps	%zmm0, %zmm1, %zmm1
	vaddps	%zmm16, %zmm25, %zmm25
	vmaxps	%zmm1, %zmm6, %zmm1
	vscalefps	%zmm22, %zmm25, %zmm25
	vmovaps	%zmm10, %zmm22
	vmulps	%zmm7, %zmm1, %zmm26
	vrndscaleps	$8, %zmm26, %zmm26
	vfmadd231ps	%zmm8, %zmm26, %zmm1
	vfmadd231ps	%zmm9, %zmm26, %zmm1
	vmulps	%zmm1, %zmm1, %zmm27
	vfmadd132ps	%zmm1, %zmm11, %zmm22
	vfmadd132ps	%zmm1, %zmm12, %zmm22
	vfmadd132ps	%zmm1, %zmm13, %zmm22
	vfmadd132ps	%zmm1, %zmm14, %zmm22
	vfmadd132ps	%zmm1, %zmm15, %zmm22
	vfmadd132ps	%zmm27, %zmm1, %zmm22
	vpmovzxwd	192(%rdx), %zmm1
	vpslld	$16, %zmm1, %zmm1
	vsubps	%zmm0, %zmm1, %zmm1
	vaddps	%zmm16, %zmm22, %zmm22
	vmaxps	%zmm1, %zmm6, %zmm1
	vscalefps	%zmm26, %zmm22, %zmm22
	vmovaps	%zmm10, %zmm26
	vmulps	%zmm7, %zmm1, %zmm27
	vrndscaleps	$8, %zmm27, %zmm27
	vfmadd231ps	%zmm8, %zmm27, %zmm1
	vfmadd231ps	%zmm9, %zmm27, %zmm1
	vmulps	%zmm1, %zmm1, %zmm28
	vfmadd132ps	%zmm1, %zmm11, %zmm26
	vfmadd132ps	%zmm1, %zmm12, %zmm26
	vfmadd132ps	%zmm1, %zmm13, %zmm26
	vfmadd132ps	%zmm1, %zmm14, %zmm26
	vfmadd132ps	%zmm1, %zmm15, %zmm26
	vfmadd132ps	%zmm28, %zmm1, %zmm26
	vpmovzxwd	224(%rdx), %zmm28
	vpslld	$16, %zmm28, %zmm28
	vaddps	%zmm16, %zmm26, %zmm26
	vscalefps	%zmm27, %zmm26, %zmm26
	jmp	.L3280
.L3304:
	vmovss	.LC27(%rip), %xmm1
	vcomiss	%xmm0, %xmm1
	ja	.L3264
	vcomiss	.LC97(%rip), %xmm0
	jbe	.L3265
	jmp	.L3264
.L3285:
	vpxor	%xmm14, %xmm14, %xmm14
	xorl	%r10d, %r10d
	jmp	.L3266
.L3287:
	vpxor	%xmm1, %xmm1, %xmm1
	xorl	%eax, %eax
	vbroadcastss	.LC29(%rip), %zmm6
	vbroadcastss	.LC31(%rip), %zmm7
	vbroadcastss	.LC33(%rip), %zmm8
	vbroadcastss	.LC35(%rip), %zmm9
	vmovdqa64	%zmm1, 392(%rsp)
	vbroadcastss	.LC37(%rip), %zmm10
	vbroadcastss	.LC39(%rip), %zmm11
	vmovdqa64	%zmm1, 456(%rsp)
	vbroadcastss	.LC41(%rip), %zmm12
	vbroadcastss	.LC43(%rip), %zmm13
	vbroadcastss	.LC45(%rip), %zmm14
	vbroadcastss	.LC47(%rip), %zmm15
	vbroadcastss	.LC49(%rip), %zmm16
	jmp	.L3274
.L3275:
	vpmovzxwd	32(%rdx), %zmm2
	vmovaps	%zmm10, %zmm29
	vmovaps	%zmm10, %zmm20
	vmovaps	%zmm10, %zmm28
	vpslld	$16, %zmm2, %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vmaxps	%zmm2, %zmm6, %zmm2
	vmulps	%zmm7, %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm8, %zmm3, %zmm2
	vfmadd231ps	%zmm9, %zmm3, %zmm2
	vmulps	%zmm2, %zmm2, %zmm5
	vfmadd132ps	%zmm2, %zmm11, %zmm29
	vfmadd132ps	%zmm2, %zmm12, %zmm29
	vfmadd132ps	%zmm2, %zmm13, %zmm29
	vfmadd132ps	%zmm2, %zmm14, %zmm29
	vfmadd132ps	%zmm2, %zmm15, %zmm29
	vfmadd132ps	%zmm5, %zmm2, %zmm29
	vpmovzxwd	64(%rdx), %zmm2
	vpslld	$16, %zmm2, %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vaddps	%zmm16, %zmm29, %zmm29
	vmaxps	%zmm2, %zmm6, %zmm2
	vscalefps	%zmm3, %zmm29, %zmm29
	vmulps	%zmm7, %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm8, %zmm3, %zmm2
	vfmadd231ps	%zmm9, %zmm3, %zmm2
	vmulps	%zmm2, %zmm2, %zmm5
	vfmadd132ps	%zmm2, %zmm11, %zmm20
	vfmadd132ps	%zmm2, %zmm12, %zmm20
	vfmadd132ps	%zmm2, %zmm13, %zmm20
	vfmadd132ps	%zmm2, %zmm14, %zmm20
	vfmadd132ps	%zmm2, %zmm15, %zmm20
	vfmadd132ps	%zmm5, %zmm2, %zmm20
	vpmovzxwd	96(%rdx), %zmm2
	vpslld	$16, %zmm2, %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vaddps	%zmm16, %zmm20, %zmm20
	vmaxps	%zmm2, %zmm6, %zmm2
	vscalefps	%zmm3, %zmm20, %zmm20
	vmulps	%zmm7, %zmm2, %zmm3
	vrndscaleps	$8, %zmm3, %zmm3
	vfmadd231ps	%zmm8, %zmm3, %zmm2
	vfmadd231ps	%zmm9, %zmm3, %zmm2
	vmulps	%zmm2, %zmm2, %zmm5
	vfmadd132ps	%zmm2, %zmm11, %zmm28
	vfmadd132ps	%zmm2, %zmm12, %zmm28
	vfmadd132ps	%zmm2, %zmm13, %zmm28
	vfmadd132ps	%zmm2, %zmm14, %zmm28
	vfmadd132ps	%zmm2, %zmm15, %zmm28
	vfmadd132ps	%zmm5, %zmm2, %zmm28
	vpmovzxwd	128(%rdx), %zmm2
	vpslld	$16, %zmm2, %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vaddps	%zmm16, %zmm28, %zmm28
	vmaxps	%zmm2, %zmm6, %zmm2
	vscalefps	%zmm3, %zmm28, %zmm28
	vmovaps	%zmm10, %zmm3
	vmulps	%zmm7, %zmm2, %zmm17
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm8, %zmm17, %zmm2
	vfmadd231ps	%zmm9, %zmm17, %zmm2
	vmulps	%zmm2, %zmm2, %zmm5
	vfmadd132ps	%zmm2, %zmm11, %zmm3
	vfmadd132ps	%zmm2, %zmm12, %zmm3
	vfmadd132ps	%zmm2, %zmm13, %zmm3
	vfmadd132ps	%zmm2, %zmm14, %zmm3
	vfmadd132ps	%zmm2, %zmm15, %zmm3
	vfmadd132ps	%zmm3, %zmm2, %zmm5
	vmovaps	%zmm10, %zmm3
	vpmovzxwd	160(%rdx), %zmm2
	vpslld	$16, %zmm2, %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vaddps	%zmm16, %zmm5, %zmm5
	vmaxps	%zmm2, %zmm6, %zmm2
	vscalefps	%zmm17, %zmm5, %zmm5
	vmulps	%zmm7, %zmm2, %zmm17
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm8, %zmm17, %zmm2
	vfmadd231ps	%zmm9, %zmm17, %zmm2
	vmulps	%zmm2, %zmm2, %zmm21
	vfmadd132ps	%zmm2, %zmm11, %zmm3
	vfmadd132ps	%zmm2, %zmm12, %zmm3
	vfmadd132ps	%zmm2, %zmm13, %zmm3
	vfmadd132ps	%zmm2, %zmm14, %zmm3
	vfmadd132ps	%zmm2, %zmm15, %zmm3
	vfmadd132ps	%zmm3, %zmm2, %zmm21
	vmovaps	%zmm10, %zmm3
	vpmovzxwd	192(%rdx), %zmm2
	vpslld	$16, %zmm2, %zmm2
	vsubps	%zmm0, %zmm2, %zmm2
	vaddps	%zmm16, %zmm21, %zmm21
	vmaxps	%zmm2, %zmm6, %zmm2
	vscalefps	%zmm17, %zmm21, %zmm21
	vmulps	%zmm7, %zmm2, %zmm30
	vrndscaleps	$8, %zmm30, %zmm30
	vfmadd231ps	%zmm8, %zmm30, %zmm2
	vfmadd231ps	%zmm9, %zmm30, %zmm2
	vmulps	%zmm2, %zmm2, %zmm17
	vfmadd132ps	%zmm2, %zmm11, %zmm3
	vfmadd132ps	%zmm2, %zmm12, %zmm3
	vfmadd132ps	%zmm2, %zmm13, %zmm3
	vfmadd132ps	%zmm2, %zmm14, %zmm3
	vfmadd132ps	%zmm2, %zmm15, %zmm3
	vfmadd132ps	%zmm3, %zmm2, %zmm17
	vpmovzxwd	224(%rdx), %zmm2
	vpslld	$16, %zmm2, %zmm2
	vaddps	%zmm16, %zmm17, %zmm17
	vscalefps	%zmm30, %zmm17, %zmm17
	jmp	.L3276
.L3286:
	vpxor	%xmm0, %xmm0, %xmm0
	vmovdqa64	%zmm0, 392(%rsp)
	vmovdqa64	%zmm0, 456(%rsp)
.L3273:
	vxorpd	%xmm0, %xmm0, %xmm0
	movl	$1, %eax
	vaddsd	392(%rsp), %xmm0, %xmm0
	vaddsd	400(%rsp), %xmm0, %xmm0
	vaddsd	408(%rsp), %xmm0, %xmm0
	vaddsd	416(%rsp), %xmm0, %xmm0
	vaddsd	424(%rsp), %xmm0, %xmm0
	vaddsd	432(%rsp), %xmm0, %xmm0
	vaddsd	440(%rsp), %xmm0, %xmm0
	vaddsd	448(%rsp), %xmm0, %xmm0
	vaddsd	456(%rsp), %xmm0, %xmm0
	vaddsd	464(%rsp), %xmm0, %xmm0
	vaddsd	472(%rsp), %xmm0, %xmm0
	vaddsd	480(%rsp), %xmm0, %xmm0
	vaddsd	488(%rsp), %xmm0, %xmm0
	vaddsd	496(%rsp), %xmm0, %xmm0
	vaddsd	504(%rsp), %xmm0, %xmm0
	vaddsd	512(%rsp), %xmm0, %xmm0
	vmovsd	%xmm0, 16(%rdi)
	vzeroupper
	leaq	-16(%rbp), %rsp
	popq	%rbx
	popq	%r14
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L3303:
	.cfi_restore_state
	vxorps	%xmm1, %xmm1, %xmm1
	vpxor	%xmm14, %xmm14, %xmm14
	vucomiss	%xmm1, %xmm1
	jp	.L3283
	jmp	.L3264
	.cfi_endproc
.LFE7975:
	.size	_ZZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryEENKUlT_E_clINS0_8BFloat16EEEDaS6_.constprop.0, .-_ZZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryEENKUlT_E_clINS0_8BFloat16EEEDaS6_.constprop.0
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryE, @function
_ZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryE:
.LFB6849:
	.cfi_startproc
	subq	$24, %rsp
	.cfi_def_cfa_offset 32
	movl	8(%rdi), %eax
	movq	%rdi, (%rsp)
	movq	%rsi, 8(%rsp)
	cmpl	$1, %eax
	je	.L3307
	cmpl	$2, %eax
	je	.L3308
	movq	%rsp, %rdi
	call	_ZZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryEENKUlT_E_clINS0_7Float32EEEDaS6_.constprop.0
	addq	$24, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L3307:
	.cfi_restore_state
	movq	%rsp, %rdi
	call	_ZZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryEENKUlT_E_clINS0_7Float16EEEDaS6_.constprop.0
	addq	$24, %rsp
	.cfi_remember_state
	.cfi_def_cfa_offset 8
	ret
	.p2align 4,,10
	.p2align 3
.L3308:
	.cfi_restore_state
	movq	%rsp, %rdi
	call	_ZZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryEENKUlT_E_clINS0_8BFloat16EEEDaS6_.constprop.0
	addq	$24, %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
.LFE6849:
	.size	_ZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryE, .-_ZN10torchpaged12_GLOBAL__N_113reduce_logitsERKNS_8LogitRowERNS_12LogitSummaryE
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_111softmax_rowINS0_11FloatEngineEEEfRKNS0_9ScoreRuleEPKfimbbffRfPfS9_, @function
_ZN10torchpaged12_GLOBAL__N_111softmax_rowINS0_11FloatEngineEEEfRKNS0_9ScoreRuleEPKfimbbffRfPfS9_:
.LFB7505:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rcx, %r11
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	andq	$-64, %rsp
	subq	$320, %rsp
	movq	16(%rbp), %rcx
	movq	24(%rbp), %r10
	testl	%edx, %edx
	jle	.L3354
	movq	8(%rdi), %rax
	vmovaps	%xmm0, %xmm5
	vbroadcastss	(%rdi), %zmm0
	vmulps	(%rsi), %zmm0, %zmm2
	testq	%rax, %rax
	je	.L3315
	vmulps	(%rax), %zmm2, %zmm2
.L3315:
	vmovss	4(%rdi), %xmm6
	vxorps	%xmm3, %xmm3, %xmm3
	vcomiss	%xmm3, %xmm6
	jbe	.L3316
	vbroadcastss	.LC58(%rip), %zmm7
	vbroadcastss	%xmm6, %zmm8
	vbroadcastss	.LC101(%rip), %zmm3
	vdivps	%zmm8, %zmm2, %zmm2
	vxorps	%zmm7, %zmm2, %zmm4
	vmaxps	%zmm4, %zmm3, %zmm4
	vxorps	%zmm7, %zmm4, %zmm4
	vmaxps	%zmm4, %zmm3, %zmm3
	vbroadcastss	.LC29(%rip), %zmm4
	vaddps	%zmm3, %zmm3, %zmm3
	vmaxps	%zmm3, %zmm4, %zmm4
	vbroadcastss	.LC37(%rip), %zmm3
	vmulps	.LC31(%rip){1to16}, %zmm4, %zmm9
	vrndscaleps	$8, %zmm9, %zmm9
	vfmadd231ps	.LC33(%rip){1to16}, %zmm9, %zmm4
	vfmadd231ps	.LC35(%rip){1to16}, %zmm9, %zmm4
	vmulps	%zmm4, %zmm4, %zmm7
	vfmadd213ps	.LC39(%rip){1to16}, %zmm4, %zmm3
	vfmadd213ps	.LC41(%rip){1to16}, %zmm4, %zmm3
	vfmadd213ps	.LC43(%rip){1to16}, %zmm4, %zmm3
	vfmadd213ps	.LC45(%rip){1to16}, %zmm4, %zmm3
	vfmadd213ps	.LC47(%rip){1to16}, %zmm4, %zmm3
	vfmadd132ps	%zmm7, %zmm4, %zmm3
	vbroadcastss	.LC49(%rip), %zmm7
	vbroadcastss	.LC103(%rip), %zmm4
	vaddps	%zmm7, %zmm3, %zmm3
	vscalefps	%zmm9, %zmm3, %zmm3
	vmulps	%zmm2, %zmm2, %zmm9
	vfmadd213ps	.LC105(%rip){1to16}, %zmm9, %zmm4
	vaddps	%zmm7, %zmm3, %zmm3
	vfmadd213ps	.LC107(%rip){1to16}, %zmm9, %zmm4
	vfmadd213ps	.LC109(%rip){1to16}, %zmm9, %zmm4
	vfmadd213ps	.LC111(%rip){1to16}, %zmm9, %zmm4
	vmulps	%zmm4, %zmm9, %zmm4
	vfmadd132ps	%zmm4, %zmm2, %zmm2
	vbroadcastss	.LC113(%rip), %zmm4
	vcmpps	$1, %zmm4, %zmm9, %k0
	vpmovm2d	%k0, %zmm4
	vpmovd2m	%zmm4, %k2
	vbroadcastss	.LC115(%rip), %zmm4
	vdivps	%zmm3, %zmm4, %zmm3
	vsubps	%zmm3, %zmm7, %zmm7
	vmovaps	%zmm2, %zmm7{%k2}
	vmulps	%zmm7, %zmm8, %zmm2
.L3316:
	testb	%r9b, %r9b
	je	.L3318
	vxorps	%xmm3, %xmm3, %xmm3
	vbroadcastss	%xmm5, %zmm4
	vaddss	%xmm3, %xmm1, %xmm3
	vbroadcastss	%xmm3, %zmm3
	vaddps	.LC116(%rip), %zmm3, %zmm3
	vfmadd231ps	%zmm3, %zmm4, %zmm2
.L3318:
	vbroadcastss	.LC1(%rip), %zmm7
	testb	%r8b, %r8b
	je	.L3390
.L3319:
	vmovaps	%zmm2, 64(%rsp)
	vmaxps	%zmm2, %zmm7, %zmm2
	cmpl	$1, %edx
	je	.L3314
	vmulps	64(%rsi), %zmm0, %zmm3
	testq	%rax, %rax
	je	.L3321
	vmulps	64(%rax), %zmm3, %zmm3
.L3321:
	vxorps	%xmm4, %xmm4, %xmm4
	vcomiss	%xmm4, %xmm6
	jbe	.L3322
	vbroadcastss	.LC58(%rip), %zmm9
	vbroadcastss	%xmm6, %zmm10
	vbroadcastss	.LC101(%rip), %zmm4
	vdivps	%zmm10, %zmm3, %zmm3
	vxorps	%zmm9, %zmm3, %zmm8
	vmaxps	%zmm8, %zmm4, %zmm8
	vxorps	%zmm9, %zmm8, %zmm8
	vmaxps	%zmm8, %zmm4, %zmm4
	vbroadcastss	.LC29(%rip), %zmm8
	vaddps	%zmm4, %zmm4, %zmm4
	vmaxps	%zmm4, %zmm8, %zmm8
	vbroadcastss	.LC37(%rip), %zmm4
	vmulps	.LC31(%rip){1to16}, %zmm8, %zmm11
	vrndscaleps	$8, %zmm11, %zmm11
	vfmadd231ps	.LC33(%rip){1to16}, %zmm11, %zmm8
	vfmadd231ps	.LC35(%rip){1to16}, %zmm11, %zmm8
	vmulps	%zmm8, %zmm8, %zmm9
	vfmadd213ps	.LC39(%rip){1to16}, %zmm8, %zmm4
	vfmadd213ps	.LC41(%rip){1to16}, %zmm8, %zmm4
	vfmadd213ps	.LC43(%rip){1to16}, %zmm8, %zmm4
	vfmadd213ps	.LC45(%rip){1to16}, %zmm8, %zmm4
	vfmadd213ps	.LC47(%rip){1to16}, %zmm8, %zmm4
	vfmadd132ps	%zmm9, %zmm8, %zmm4
	vbroadcastss	.LC49(%rip), %zmm9
	vbroadcastss	.LC103(%rip), %zmm8
	vaddps	%zmm9, %zmm4, %zmm4
	vscalefps	%zmm11, %zmm4, %zmm4
	vmulps	%zmm3, %zmm3, %zmm11
	vfmadd213ps	.LC105(%rip){1to16}, %zmm11, %zmm8
	vaddps	%zmm9, %zmm4, %zmm4
	vfmadd213ps	.LC107(%rip){1to16}, %zmm11, %zmm8
	vfmadd213ps	.LC109(%rip){1to16}, %zmm11, %zmm8
	vfmadd213ps	.LC111(%rip){1to16}, %zmm11, %zmm8
	vmulps	%zmm8, %zmm11, %zmm8
	vfmadd132ps	%zmm8, %zmm3, %zmm3
	vbroadcastss	.LC113(%rip), %zmm8
	vcmpps	$1, %zmm8, %zmm11, %k0
	vpmovm2d	%k0, %zmm8
	vpmovd2m	%zmm8, %k2
	vbroadcastss	.LC115(%rip), %zmm8
	vdivps	%zmm4, %zmm8, %zmm4
	vsubps	%zmm4, %zmm9, %zmm9
	vmovaps	%zmm3, %zmm9{%k2}
	vmulps	%zmm9, %zmm10, %zmm3
.L3322:
	testb	%r9b, %r9b
	je	.L3324
	vaddss	.LC117(%rip), %xmm1, %xmm4
	vbroadcastss	%xmm5, %zmm8
	vbroadcastss	%xmm4, %zmm4
	vaddps	.LC116(%rip), %zmm4, %zmm4
	vfmadd231ps	%zmm4, %zmm8, %zmm3
.L3324:
	testb	%r8b, %r8b
	je	.L3391
.L3325:
	vmovaps	%zmm3, 128(%rsp)
	vmaxps	%zmm3, %zmm2, %zmm2
	cmpl	$2, %edx
	je	.L3314
	vmulps	128(%rsi), %zmm0, %zmm3
	testq	%rax, %rax
	je	.L3327
	vmulps	128(%rax), %zmm3, %zmm3
.L3327:
	vxorps	%xmm4, %xmm4, %xmm4
	vcomiss	%xmm4, %xmm6
	jbe	.L3328
	vbroadcastss	.LC58(%rip), %zmm9
	vbroadcastss	%xmm6, %zmm10
	vbroadcastss	.LC101(%rip), %zmm4
	vdivps	%zmm10, %zmm3, %zmm3
	vxorps	%zmm9, %zmm3, %zmm8
	vmaxps	%zmm8, %zmm4, %zmm8
	vxorps	%zmm9, %zmm8, %zmm8
	vmaxps	%zmm8, %zmm4, %zmm4
	vbroadcastss	.LC29(%rip), %zmm8
	vaddps	%zmm4, %zmm4, %zmm4
	vmaxps	%zmm4, %zmm8, %zmm8
	vbroadcastss	.LC37(%rip), %zmm4
	vmulps	.LC31(%rip){1to16}, %zmm8, %zmm11
	vrndscaleps	$8, %zmm11, %zmm11
	vfmadd231ps	.LC33(%rip){1to16}, %zmm11, %zmm8
	vfmadd231ps	.LC35(%rip){1to16}, %zmm11, %zmm8
	vmulps	%zmm8, %zmm8, %zmm9
	vfmadd213ps	.LC39(%rip){1to16}, %zmm8, %zmm4
	vfmadd213ps	.LC41(%rip){1to16}, %zmm8, %zmm4
	vfmadd213ps	.LC43(%rip){1to16}, %zmm8, %zmm4
	vfmadd213ps	.LC45(%rip){1to16}, %zmm8, %zmm4
	vfmadd213ps	.LC47(%rip){1to16}, %zmm8, %zmm4
	vfmadd132ps	%zmm9, %zmm8, %zmm4
	vbroadcastss	.LC49(%rip), %zmm9
	vbroadcastss	.LC103(%rip), %zmm8
	vaddps	%zmm9, %zmm4, %zmm4
	vscalefps	%zmm11, %zmm4, %zmm4
	vmulps	%zmm3, %zmm3, %zmm11
	vfmadd213ps	.LC105(%rip){1to16}, %zmm11, %zmm8
	vaddps	%zmm9, %zmm4, %zmm4
	vfmadd213ps	.LC107(%rip){1to16}, %zmm11, %zmm8
	vfmadd213ps	.LC109(%rip){1to16}, %zmm11, %zmm8
	vfmadd213ps	.LC111(%rip){1to16}, %zmm11, %zmm8
	vmulps	%zmm8, %zmm11, %zmm8
	vfmadd132ps	%zmm8, %zmm3, %zmm3
	vbroadcastss	.LC113(%rip), %zmm8
	vcmpps	$1, %zmm8, %zmm11, %k0
	vpmovm2d	%k0, %zmm8
	vpmovd2m	%zmm8, %k2
	vbroadcastss	.LC115(%rip), %zmm8
	vdivps	%zmm4, %zmm8, %zmm4
	vsubps	%zmm4, %zmm9, %zmm9
	vmovaps	%zmm3, %zmm9{%k2}
	vmulps	%zmm9, %zmm10, %zmm3
.L3328:
	testb	%r9b, %r9b
	je	.L3330
	vaddss	.LC118(%rip), %xmm1, %xmm4
	vbroadcastss	%xmm5, %zmm8
	vbroadcastss	%xmm4, %zmm4
	vaddps	.LC116(%rip), %zmm4, %zmm4
	vfmadd231ps	%zmm4, %zmm8, %zmm3
.L3330:
	testb	%r8b, %r8b
	je	.L3392
.L3331:
	vmovaps	%zmm3, 192(%rsp)
	vmaxps	%zmm3, %zmm2, %zmm2
	cmpl	$3, %edx
	je	.L3314
	vmulps	192(%rsi), %zmm0, %zmm0
	testq	%rax, %rax
	je	.L3333
	vmulps	192(%rax), %zmm0, %zmm0
.L3333:
	vxorps	%xmm3, %xmm3, %xmm3
	vcomiss	%xmm3, %xmm6
	jbe	.L3334
	vbroadcastss	.LC58(%rip), %zmm8
	vbroadcastss	%xmm6, %zmm6
	vbroadcastss	.LC101(%rip), %zmm3
	vdivps	%zmm6, %zmm0, %zmm0
	vxorps	%zmm8, %zmm0, %zmm4
	vmaxps	%zmm4, %zmm3, %zmm4
	vxorps	%zmm8, %zmm4, %zmm4
	vmaxps	%zmm4, %zmm3, %zmm3
	vbroadcastss	.LC29(%rip), %zmm4
	vaddps	%zmm3, %zmm3, %zmm3
	vmaxps	%zmm3, %zmm4, %zmm4
	vbroadcastss	.LC37(%rip), %zmm3
	vmulps	.LC31(%rip){1to16}, %zmm4, %zmm9
	vrndscaleps	$8, %zmm9, %zmm9
	vfmadd231ps	.LC33(%rip){1to16}, %zmm9, %zmm4
	vfmadd231ps	.LC35(%rip){1to16}, %zmm9, %zmm4
	vmulps	%zmm4, %zmm4, %zmm8
	vfmadd213ps	.LC39(%rip){1to16}, %zmm4, %zmm3
	vfmadd213ps	.LC41(%rip){1to16}, %zmm4, %zmm3
	vfmadd213ps	.LC43(%rip){1to16}, %zmm4, %zmm3
	vfmadd213ps	.LC45(%rip){1to16}, %zmm4, %zmm3
	vfmadd213ps	.LC47(%rip){1to16}, %zmm4, %zmm3
	vfmadd132ps	%zmm8, %zmm4, %zmm3
	vbroadcastss	.LC49(%rip), %zmm8
	vbroadcastss	.LC103(%rip), %zmm4
	vaddps	%zmm8, %zmm3, %zmm3
	vscalefps	%zmm9, %zmm3, %zmm3
	vmulps	%zmm0, %zmm0, %zmm9
	vfmadd213ps	.LC105(%rip){1to16}, %zmm9, %zmm4
	vaddps	%zmm8, %zmm3, %zmm3
	vfmadd213ps	.LC107(%rip){1to16}, %zmm9, %zmm4
	vfmadd213ps	.LC109(%rip){1to16}, %zmm9, %zmm4
	vfmadd213ps	.LC111(%rip){1to16}, %zmm9, %zmm4
	vmulps	%zmm4, %zmm9, %zmm4
	vfmadd132ps	%zmm4, %zmm0, %zmm0
	vbroadcastss	.LC113(%rip), %zmm4
	vcmpps	$1, %zmm4, %zmm9, %k0
	vpmovm2d	%k0, %zmm4
	vpmovd2m	%zmm4, %k2
	vbroadcastss	.LC115(%rip), %zmm4
	vdivps	%zmm3, %zmm4, %zmm3
	vsubps	%zmm3, %zmm8, %zmm8
	vmovaps	%zmm0, %zmm8{%k2}
	vmulps	%zmm8, %zmm6, %zmm0
.L3334:
	testb	%r9b, %r9b
	je	.L3336
	vaddss	.LC119(%rip), %xmm1, %xmm1
	vbroadcastss	%xmm5, %zmm5
	vbroadcastss	%xmm1, %zmm1
	vaddps	.LC116(%rip), %zmm1, %zmm1
	vfmadd231ps	%zmm1, %zmm5, %zmm0
.L3336:
	testb	%r8b, %r8b
	je	.L3393
.L3337:
	vmovaps	%zmm0, 256(%rsp)
	vmaxps	%zmm0, %zmm2, %zmm2
.L3314:
	vextractf64x4	$0x1, %zmm2, %ymm1
	vmovss	(%rcx), %xmm3
	movl	$0x00000000, %eax
	vmaxps	%ymm2, %ymm1, %ymm1
	vextractf128	$0x1, %ymm1, %xmm0
	vmaxps	%xmm1, %xmm0, %xmm0
	vpermilps	$78, %xmm0, %xmm1
	vmaxps	%xmm1, %xmm0, %xmm0
	vpermilps	$17, %xmm0, %xmm1
	vmaxps	%xmm1, %xmm0, %xmm0
	vmovss	.LC27(%rip), %xmm1
	vmaxss	%xmm0, %xmm3, %xmm0
	vucomiss	%xmm0, %xmm1
	vmovss	%xmm0, (%rcx)
	vmovd	%xmm0, %ecx
	cmovbe	%ecx, %eax
	vucomiss	%xmm3, %xmm0
	vmovd	%eax, %xmm6
	jp	.L3363
	vmovss	.LC49(%rip), %xmm2
	jne	.L3363
.L3342:
	vbroadcastss	%xmm2, %zmm5
	testl	%edx, %edx
	jle	.L3394
	vmovaps	64(%rsp), %zmm0
	vbroadcastss	%xmm6, %zmm6
	vbroadcastss	.LC29(%rip), %zmm7
	vbroadcastss	.LC31(%rip), %zmm4
	movq	16(%rdi), %rax
	vbroadcastss	.LC33(%rip), %zmm8
	vsubps	%zmm6, %zmm0, %zmm9
	vbroadcastss	.LC35(%rip), %zmm3
	vbroadcastss	.LC37(%rip), %zmm0
	vbroadcastss	.LC39(%rip), %zmm14
	vbroadcastss	.LC41(%rip), %zmm13
	vbroadcastss	.LC43(%rip), %zmm12
	vmaxps	%zmm9, %zmm7, %zmm9
	vmovaps	%zmm0, %zmm1
	vbroadcastss	.LC45(%rip), %zmm11
	vbroadcastss	.LC47(%rip), %zmm10
	vmulps	%zmm4, %zmm9, %zmm15
	vrndscaleps	$8, %zmm15, %zmm15
	vfmadd231ps	%zmm8, %zmm15, %zmm9
	vfmadd231ps	%zmm3, %zmm15, %zmm9
	vmulps	%zmm9, %zmm9, %zmm16
	vfmadd132ps	%zmm9, %zmm14, %zmm1
	vfmadd132ps	%zmm9, %zmm13, %zmm1
	vfmadd132ps	%zmm9, %zmm12, %zmm1
	vfmadd132ps	%zmm9, %zmm11, %zmm1
	vfmadd132ps	%zmm9, %zmm10, %zmm1
	vfmadd132ps	%zmm16, %zmm9, %zmm1
	vxorps	%xmm16, %xmm16, %xmm16
	vbroadcastss	.LC49(%rip), %zmm9
	vaddps	%zmm9, %zmm1, %zmm1
	vscalefps	%zmm15, %zmm1, %zmm1
	vaddps	%zmm16, %zmm1, %zmm16
	vmovaps	%zmm1, 64(%rsp)
	testq	%rax, %rax
	je	.L3346
	vmulps	(%rax), %zmm1, %zmm1
	vmovaps	%zmm1, 64(%rsp)
.L3346:
	cmpl	$1, %edx
	je	.L3353
	vmovaps	128(%rsp), %zmm1
	vsubps	%zmm6, %zmm1, %zmm15
	vmovaps	%zmm0, %zmm1
	vmaxps	%zmm15, %zmm7, %zmm15
	vmulps	%zmm4, %zmm15, %zmm17
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm8, %zmm17, %zmm15
	vfmadd231ps	%zmm3, %zmm17, %zmm15
	vmulps	%zmm15, %zmm15, %zmm18
	vfmadd132ps	%zmm15, %zmm14, %zmm1
	vfmadd132ps	%zmm15, %zmm13, %zmm1
	vfmadd132ps	%zmm15, %zmm12, %zmm1
	vfmadd132ps	%zmm15, %zmm11, %zmm1
	vfmadd132ps	%zmm15, %zmm10, %zmm1
	vfmadd132ps	%zmm18, %zmm15, %zmm1
	vaddps	%zmm9, %zmm1, %zmm1
	vscalefps	%zmm17, %zmm1, %zmm1
	vaddps	%zmm1, %zmm16, %zmm16
	vmovaps	%zmm1, 128(%rsp)
	testq	%rax, %rax
	je	.L3349
	vmulps	64(%rax), %zmm1, %zmm1
	vmovaps	%zmm1, 128(%rsp)
.L3349:
	cmpl	$2, %edx
	je	.L3353
	vmovaps	192(%rsp), %zmm1
	vsubps	%zmm6, %zmm1, %zmm15
	vmovaps	%zmm0, %zmm1
	vmaxps	%zmm15, %zmm7, %zmm15
	vmulps	%zmm4, %zmm15, %zmm17
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm8, %zmm17, %zmm15
	vfmadd231ps	%zmm3, %zmm17, %zmm15
	vmulps	%zmm15, %zmm15, %zmm18
	vfmadd132ps	%zmm15, %zmm14, %zmm1
	vfmadd132ps	%zmm15, %zmm13, %zmm1
	vfmadd132ps	%zmm15, %zmm12, %zmm1
	vfmadd132ps	%zmm15, %zmm11, %zmm1
	vfmadd132ps	%zmm15, %zmm10, %zmm1
	vfmadd132ps	%zmm18, %zmm15, %zmm1
	vaddps	%zmm9, %zmm1, %zmm1
	vscalefps	%zmm17, %zmm1, %zmm1
	vaddps	%zmm1, %zmm16, %zmm16
	vmovaps	%zmm1, 192(%rsp)
	testq	%rax, %rax
	je	.L3351
	vmulps	128(%rax), %zmm1, %zmm1
	vmovaps	%zmm1, 192(%rsp)
.L3351:
	cmpl	$3, %edx
	je	.L3353
	vmovaps	256(%rsp), %zmm1
	vsubps	%zmm6, %zmm1, %zmm1
	vmaxps	%zmm1, %zmm7, %zmm7
	vmulps	%zmm4, %zmm7, %zmm4
	vrndscaleps	$8, %zmm4, %zmm4
	vfmadd132ps	%zmm4, %zmm7, %zmm8
	vfmadd132ps	%zmm4, %zmm8, %zmm3
	vmulps	%zmm3, %zmm3, %zmm1
	vfmadd132ps	%zmm3, %zmm14, %zmm0
	vfmadd132ps	%zmm3, %zmm13, %zmm0
	vfmadd132ps	%zmm3, %zmm12, %zmm0
	vfmadd132ps	%zmm3, %zmm11, %zmm0
	vfmadd132ps	%zmm3, %zmm10, %zmm0
	vfmadd132ps	%zmm1, %zmm3, %zmm0
	vaddps	%zmm9, %zmm0, %zmm0
	vscalefps	%zmm4, %zmm0, %zmm0
	vaddps	%zmm0, %zmm16, %zmm16
	vmovaps	%zmm0, 256(%rsp)
	testq	%rax, %rax
	je	.L3353
	vmulps	192(%rax), %zmm0, %zmm0
	vmovaps	%zmm0, 256(%rsp)
.L3353:
	vmulps	(%r10), %zmm5, %zmm5
	movq	32(%rbp), %rdi
	movl	%edx, %edx
	vmovss	%xmm2, 60(%rsp)
	salq	$6, %rdx
	leaq	64(%rsp), %rsi
	vaddps	%zmm16, %zmm5, %zmm5
	vmovups	%zmm5, (%r10)
	vzeroupper
	call	memcpy@PLT
	vmovss	60(%rsp), %xmm2
.L3313:
	leave
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	vmovaps	%xmm2, %xmm0
	ret
	.p2align 4,,10
	.p2align 3
.L3363:
	.cfi_restore_state
	vbroadcastss	.LC29(%rip), %zmm0
	vsubss	%xmm6, %xmm3, %xmm3
	vbroadcastss	.LC37(%rip), %zmm2
	vbroadcastss	%xmm3, %zmm3
	vmaxps	%zmm3, %zmm0, %zmm0
	vmulps	.LC31(%rip){1to16}, %zmm0, %zmm1
	vrndscaleps	$8, %zmm1, %zmm1
	vfmadd231ps	.LC33(%rip){1to16}, %zmm1, %zmm0
	vfmadd231ps	.LC35(%rip){1to16}, %zmm1, %zmm0
	vmulps	%zmm0, %zmm0, %zmm3
	vfmadd213ps	.LC39(%rip){1to16}, %zmm0, %zmm2
	vfmadd213ps	.LC41(%rip){1to16}, %zmm0, %zmm2
	vfmadd213ps	.LC43(%rip){1to16}, %zmm0, %zmm2
	vfmadd213ps	.LC45(%rip){1to16}, %zmm0, %zmm2
	vfmadd213ps	.LC47(%rip){1to16}, %zmm0, %zmm2
	vfmadd132ps	%zmm3, %zmm0, %zmm2
	vaddps	.LC49(%rip){1to16}, %zmm2, %zmm2
	vscalefps	%zmm1, %zmm2, %zmm2
	jmp	.L3342
	.p2align 4,,10
	.p2align 3
.L3390:
	kmovw	%r11d, %k3
	vblendmps	%zmm2, %zmm7, %zmm2{%k3}
	jmp	.L3319
	.p2align 4,,10
	.p2align 3
.L3391:
	kmovd	%r11d, %k4
	kshiftrd	$16, %k4, %k2
	vblendmps	%zmm3, %zmm7, %zmm3{%k2}
	jmp	.L3325
	.p2align 4,,10
	.p2align 3
.L3392:
	kmovq	%r11, %k5
	kshiftrq	$32, %k5, %k2
	vblendmps	%zmm3, %zmm7, %zmm3{%k2}
	jmp	.L3331
	.p2align 4,,10
	.p2align 3
.L3393:
	shrq	$48, %r11
	kmovq	%r11, %k1
	vblendmps	%zmm0, %zmm7, %zmm0{%k1}
	jmp	.L3337
.L3354:
	vbroadcastsd	.LC99(%rip), %zmm2
	jmp	.L3314
.L3394:
	vmulps	(%r10), %zmm5, %zmm5
	vxorps	%xmm0, %xmm0, %xmm0
	vaddps	%zmm0, %zmm5, %zmm5
	vmovups	%zmm5, (%r10)
	vzeroupper
	jmp	.L3313
	.cfi_endproc
.LFE7505:
	.size	_ZN10torchpaged12_GLOBAL__N_111softmax_rowINS0_11FloatEngineEEEfRKNS0_9ScoreRuleEPKfimbbffRfPfS9_, .-_ZN10torchpaged12_GLOBAL__N_111softmax_rowINS0_11FloatEngineEEEfRKNS0_9ScoreRuleEPKfimbbffRfPfS9_
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_111softmax_rowINS0_10Bf16EngineEEEfRKNS0_9ScoreRuleEPKfimbbffRfPfS9_, @function
_ZN10torchpaged12_GLOBAL__N_111softmax_rowINS0_10Bf16EngineEEEfRKNS0_9ScoreRuleEPKfimbbffRfPfS9_:
.LFB7384:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rdi, %r10
	movl	%edx, %edi
	movq	%rcx, %r11
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	andq	$-64, %rsp
	subq	$136, %rsp
	movq	16(%rbp), %rdx
	movq	24(%rbp), %rcx
	testl	%edi, %edi
	jle	.L3439
	movq	8(%r10), %rax
	vmovaps	%xmm0, %xmm5
	vbroadcastss	(%r10), %zmm0
	vmulps	(%rsi), %zmm0, %zmm2
	testq	%rax, %rax
	je	.L3397
	vmulps	(%rax), %zmm2, %zmm2
.L3397:
	vmovss	4(%r10), %xmm6
	vxorps	%xmm3, %xmm3, %xmm3
	vcomiss	%xmm3, %xmm6
	jbe	.L3398
	vbroadcastss	.LC58(%rip), %zmm7
	vbroadcastss	%xmm6, %zmm8
	vbroadcastss	.LC101(%rip), %zmm3
	vdivps	%zmm8, %zmm2, %zmm2
	vxorps	%zmm7, %zmm2, %zmm4
	vmaxps	%zmm4, %zmm3, %zmm4
	vxorps	%zmm7, %zmm4, %zmm4
	vmaxps	%zmm4, %zmm3, %zmm3
	vbroadcastss	.LC29(%rip), %zmm4
	vaddps	%zmm3, %zmm3, %zmm3
	vmaxps	%zmm3, %zmm4, %zmm4
	vbroadcastss	.LC37(%rip), %zmm3
	vmulps	.LC31(%rip){1to16}, %zmm4, %zmm9
	vrndscaleps	$8, %zmm9, %zmm9
	vfmadd231ps	.LC33(%rip){1to16}, %zmm9, %zmm4
	vfmadd231ps	.LC35(%rip){1to16}, %zmm9, %zmm4
	vmulps	%zmm4, %zmm4, %zmm7
	vfmadd213ps	.LC39(%rip){1to16}, %zmm4, %zmm3
	vfmadd213ps	.LC41(%rip){1to16}, %zmm4, %zmm3
	vfmadd213ps	.LC43(%rip){1to16}, %zmm4, %zmm3
	vfmadd213ps	.LC45(%rip){1to16}, %zmm4, %zmm3
	vfmadd213ps	.LC47(%rip){1to16}, %zmm4, %zmm3
	vfmadd132ps	%zmm7, %zmm4, %zmm3
	vbroadcastss	.LC49(%rip), %zmm7
	vbroadcastss	.LC103(%rip), %zmm4
	vaddps	%zmm7, %zmm3, %zmm3
	vscalefps	%zmm9, %zmm3, %zmm3
	vmulps	%zmm2, %zmm2, %zmm9
	vfmadd213ps	.LC105(%rip){1to16}, %zmm9, %zmm4
	vaddps	%zmm7, %zmm3, %zmm3
	vfmadd213ps	.LC107(%rip){1to16}, %zmm9, %zmm4
	vfmadd213ps	.LC109(%rip){1to16}, %zmm9, %zmm4
	vfmadd213ps	.LC111(%rip){1to16}, %zmm9, %zmm4
	vmulps	%zmm4, %zmm9, %zmm4
	vfmadd132ps	%zmm4, %zmm2, %zmm2
	vbroadcastss	.LC113(%rip), %zmm4
	vcmpps	$1, %zmm4, %zmm9, %k0
	vpmovm2d	%k0, %zmm4
	vpmovd2m	%zmm4, %k2
	vbroadcastss	.LC115(%rip), %zmm4
	vdivps	%zmm3, %zmm4, %zmm3
	vsubps	%zmm3, %zmm7, %zmm7
	vmovaps	%zmm2, %zmm7{%k2}
	vmulps	%zmm7, %zmm8, %zmm2
.L3398:
	testb	%r9b, %r9b
	je	.L3400
	vxorps	%xmm3, %xmm3, %xmm3
	vbroadcastss	%xmm5, %zmm4
	vaddss	%xmm3, %xmm1, %xmm3
	vbroadcastss	%xmm3, %zmm3
	vaddps	.LC116(%rip), %zmm3, %zmm3
	vfmadd231ps	%zmm3, %zmm4, %zmm2
.L3400:
	vbroadcastss	.LC1(%rip), %zmm7
	testb	%r8b, %r8b
	je	.L3476
.L3401:
	vmovaps	%zmm2, -120(%rsp)
	vmaxps	%zmm2, %zmm7, %zmm2
	cmpl	$1, %edi
	je	.L3396
	vmulps	64(%rsi), %zmm0, %zmm3
	testq	%rax, %rax
	je	.L3403
	vmulps	64(%rax), %zmm3, %zmm3
.L3403:
	vxorps	%xmm4, %xmm4, %xmm4
	vcomiss	%xmm4, %xmm6
	jbe	.L3404
	vbroadcastss	.LC58(%rip), %zmm9
	vbroadcastss	%xmm6, %zmm10
	vbroadcastss	.LC101(%rip), %zmm4
	vdivps	%zmm10, %zmm3, %zmm3
	vxorps	%zmm9, %zmm3, %zmm8
	vmaxps	%zmm8, %zmm4, %zmm8
	vxorps	%zmm9, %zmm8, %zmm8
	vmaxps	%zmm8, %zmm4, %zmm4
	vbroadcastss	.LC29(%rip), %zmm8
	vaddps	%zmm4, %zmm4, %zmm4
	vmaxps	%zmm4, %zmm8, %zmm8
	vbroadcastss	.LC37(%rip), %zmm4
	vmulps	.LC31(%rip){1to16}, %zmm8, %zmm11
	vrndscaleps	$8, %zmm11, %zmm11
	vfmadd231ps	.LC33(%rip){1to16}, %zmm11, %zmm8
	vfmadd231ps	.LC35(%rip){1to16}, %zmm11, %zmm8
	vmulps	%zmm8, %zmm8, %zmm9
	vfmadd213ps	.LC39(%rip){1to16}, %zmm8, %zmm4
	vfmadd213ps	.LC41(%rip){1to16}, %zmm8, %zmm4
	vfmadd213ps	.LC43(%rip){1to16}, %zmm8, %zmm4
	vfmadd213ps	.LC45(%rip){1to16}, %zmm8, %zmm4
	vfmadd213ps	.LC47(%rip){1to16}, %zmm8, %zmm4
	vfmadd132ps	%zmm9, %zmm8, %zmm4
	vbroadcastss	.LC49(%rip), %zmm9
	vbroadcastss	.LC103(%rip), %zmm8
	vaddps	%zmm9, %zmm4, %zmm4
	vscalefps	%zmm11, %zmm4, %zmm4
	vmulps	%zmm3, %zmm3, %zmm11
	vfmadd213ps	.LC105(%rip){1to16}, %zmm11, %zmm8
	vaddps	%zmm9, %zmm4, %zmm4
	vfmadd213ps	.LC107(%rip){1to16}, %zmm11, %zmm8
	vfmadd213ps	.LC109(%rip){1to16}, %zmm11, %zmm8
	vfmadd213ps	.LC111(%rip){1to16}, %zmm11, %zmm8
	vmulps	%zmm8, %zmm11, %zmm8
	vfmadd132ps	%zmm8, %zmm3, %zmm3
	vbroadcastss	.LC113(%rip), %zmm8
	vcmpps	$1, %zmm8, %zmm11, %k0
	vpmovm2d	%k0, %zmm8
	vpmovd2m	%zmm8, %k2
	vbroadcastss	.LC115(%rip), %zmm8
	vdivps	%zmm4, %zmm8, %zmm4
	vsubps	%zmm4, %zmm9, %zmm9
	vmovaps	%zmm3, %zmm9{%k2}
	vmulps	%zmm9, %zmm10, %zmm3
.L3404:
	testb	%r9b, %r9b
	je	.L3406
	vaddss	.LC117(%rip), %xmm1, %xmm4
	vbroadcastss	%xmm5, %zmm8
	vbroadcastss	%xmm4, %zmm4
	vaddps	.LC116(%rip), %zmm4, %zmm4
	vfmadd231ps	%zmm4, %zmm8, %zmm3
.L3406:
	testb	%r8b, %r8b
	je	.L3477
.L3407:
	vmaxps	%zmm3, %zmm2, %zmm2
	vmovaps	%zmm3, -56(%rsp)
	cmpl	$2, %edi
	je	.L3396
	vmulps	128(%rsi), %zmm0, %zmm3
	testq	%rax, %rax
	je	.L3409
	vmulps	128(%rax), %zmm3, %zmm3
.L3409:
	vxorps	%xmm4, %xmm4, %xmm4
	vcomiss	%xmm4, %xmm6
	jbe	.L3410
	vbroadcastss	.LC58(%rip), %zmm9
	vbroadcastss	%xmm6, %zmm10
	vbroadcastss	.LC101(%rip), %zmm4
	vdivps	%zmm10, %zmm3, %zmm3
	vxorps	%zmm9, %zmm3, %zmm8
	vmaxps	%zmm8, %zmm4, %zmm8
	vxorps	%zmm9, %zmm8, %zmm8
	vmaxps	%zmm8, %zmm4, %zmm4
	vbroadcastss	.LC29(%rip), %zmm8
	vaddps	%zmm4, %zmm4, %zmm4
	vmaxps	%zmm4, %zmm8, %zmm8
	vbroadcastss	.LC37(%rip), %zmm4
	vmulps	.LC31(%rip){1to16}, %zmm8, %zmm11
	vrndscaleps	$8, %zmm11, %zmm11
	vfmadd231ps	.LC33(%rip){1to16}, %zmm11, %zmm8
	vfmadd231ps	.LC35(%rip){1to16}, %zmm11, %zmm8
	vmulps	%zmm8, %zmm8, %zmm9
	vfmadd213ps	.LC39(%rip){1to16}, %zmm8, %zmm4
	vfmadd213ps	.LC41(%rip){1to16}, %zmm8, %zmm4
	vfmadd213ps	.LC43(%rip){1to16}, %zmm8, %zmm4
	vfmadd213ps	.LC45(%rip){1to16}, %zmm8, %zmm4
	vfmadd213ps	.LC47(%rip){1to16}, %zmm8, %zmm4
	vfmadd132ps	%zmm9, %zmm8, %zmm4
	vbroadcastss	.LC49(%rip), %zmm9
	vbroadcastss	.LC103(%rip), %zmm8
	vaddps	%zmm9, %zmm4, %zmm4
	vscalefps	%zmm11, %zmm4, %zmm4
	vmulps	%zmm3, %zmm3, %zmm11
	vfmadd213ps	.LC105(%rip){1to16}, %zmm11, %zmm8
	vaddps	%zmm9, %zmm4, %zmm4
	vfmadd213ps	.LC107(%rip){1to16}, %zmm11, %zmm8
	vfmadd213ps	.LC109(%rip){1to16}, %zmm11, %zmm8
	vfmadd213ps	.LC111(%rip){1to16}, %zmm11, %zmm8
	vmulps	%zmm8, %zmm11, %zmm8
	vfmadd132ps	%zmm8, %zmm3, %zmm3
	vbroadcastss	.LC113(%rip), %zmm8
	vcmpps	$1, %zmm8, %zmm11, %k0
	vpmovm2d	%k0, %zmm8
	vpmovd2m	%zmm8, %k2
	vbroadcastss	.LC115(%rip), %zmm8
	vdivps	%zmm4, %zmm8, %zmm4
	vsubps	%zmm4, %zmm9, %zmm9
	vmovaps	%zmm3, %zmm9{%k2}
	vmulps	%zmm9, %zmm10, %zmm3
.L3410:
	testb	%r9b, %r9b
	je	.L3412
	vaddss	.LC118(%rip), %xmm1, %xmm4
	vbroadcastss	%xmm5, %zmm8
	vbroadcastss	%xmm4, %zmm4
	vaddps	.LC116(%rip), %zmm4, %zmm4
	vfmadd231ps	%zmm4, %zmm8, %zmm3
.L3412:
	testb	%r8b, %r8b
	je	.L3478
.L3413:
	vmaxps	%zmm3, %zmm2, %zmm2
	vmovaps	%zmm3, 8(%rsp)
	cmpl	$3, %edi
	je	.L3396
	vmulps	192(%rsi), %zmm0, %zmm0
	testq	%rax, %rax
	je	.L3415
	vmulps	192(%rax), %zmm0, %zmm0
.L3415:
	vxorps	%xmm3, %xmm3, %xmm3
	vcomiss	%xmm3, %xmm6
	jbe	.L3416
	vbroadcastss	.LC58(%rip), %zmm8
	vbroadcastss	%xmm6, %zmm6
	vbroadcastss	.LC101(%rip), %zmm3
	vdivps	%zmm6, %zmm0, %zmm0
	vxorps	%zmm8, %zmm0, %zmm4
	vmaxps	%zmm4, %zmm3, %zmm4
	vxorps	%zmm8, %zmm4, %zmm4
	vmaxps	%zmm4, %zmm3, %zmm3
	vbroadcastss	.LC29(%rip), %zmm4
	vaddps	%zmm3, %zmm3, %zmm3
	vmaxps	%zmm3, %zmm4, %zmm4
	vbroadcastss	.LC37(%rip), %zmm3
	vmulps	.LC31(%rip){1to16}, %zmm4, %zmm9
	vrndscaleps	$8, %zmm9, %zmm9
	vfmadd231ps	.LC33(%rip){1to16}, %zmm9, %zmm4
	vfmadd231ps	.LC35(%rip){1to16}, %zmm9, %zmm4
	vmulps	%zmm4, %zmm4, %zmm8
	vfmadd213ps	.LC39(%rip){1to16}, %zmm4, %zmm3
	vfmadd213ps	.LC41(%rip){1to16}, %zmm4, %zmm3
	vfmadd213ps	.LC43(%rip){1to16}, %zmm4, %zmm3
	vfmadd213ps	.LC45(%rip){1to16}, %zmm4, %zmm3
	vfmadd213ps	.LC47(%rip){1to16}, %zmm4, %zmm3
	vfmadd132ps	%zmm8, %zmm4, %zmm3
	vbroadcastss	.LC49(%rip), %zmm8
	vbroadcastss	.LC103(%rip), %zmm4
	vaddps	%zmm8, %zmm3, %zmm3
	vscalefps	%zmm9, %zmm3, %zmm3
	vmulps	%zmm0, %zmm0, %zmm9
	vfmadd213ps	.LC105(%rip){1to16}, %zmm9, %zmm4
	vaddps	%zmm8, %zmm3, %zmm3
	vfmadd213ps	.LC107(%rip){1to16}, %zmm9, %zmm4
	vfmadd213ps	.LC109(%rip){1to16}, %zmm9, %zmm4
	vfmadd213ps	.LC111(%rip){1to16}, %zmm9, %zmm4
	vmulps	%zmm4, %zmm9, %zmm4
	vfmadd132ps	%zmm4, %zmm0, %zmm0
	vbroadcastss	.LC113(%rip), %zmm4
	vcmpps	$1, %zmm4, %zmm9, %k0
	vpmovm2d	%k0, %zmm4
	vpmovd2m	%zmm4, %k2
	vbroadcastss	.LC115(%rip), %zmm4
	vdivps	%zmm3, %zmm4, %zmm3
	vsubps	%zmm3, %zmm8, %zmm8
	vmovaps	%zmm0, %zmm8{%k2}
	vmulps	%zmm8, %zmm6, %zmm0
.L3416:
	testb	%r9b, %r9b
	je	.L3418
	vaddss	.LC119(%rip), %xmm1, %xmm1
	vbroadcastss	%xmm5, %zmm5
	vbroadcastss	%xmm1, %zmm1
	vaddps	.LC116(%rip), %zmm1, %zmm1
	vfmadd231ps	%zmm1, %zmm5, %zmm0
.L3418:
	testb	%r8b, %r8b
	je	.L3479
.L3419:
	vmaxps	%zmm0, %zmm2, %zmm2
	vmovaps	%zmm0, 72(%rsp)
.L3396:
	vextractf64x4	$0x1, %zmm2, %ymm1
	vmovss	(%rdx), %xmm3
	movl	$0x00000000, %eax
	vmaxps	%ymm2, %ymm1, %ymm1
	vextractf128	$0x1, %ymm1, %xmm0
	vmaxps	%xmm1, %xmm0, %xmm0
	vpermilps	$78, %xmm0, %xmm1
	vmaxps	%xmm1, %xmm0, %xmm0
	vpermilps	$17, %xmm0, %xmm1
	vmaxps	%xmm1, %xmm0, %xmm0
	vmovss	.LC27(%rip), %xmm1
	vmaxss	%xmm0, %xmm3, %xmm0
	vucomiss	%xmm0, %xmm1
	vmovd	%xmm0, %esi
	vmovss	%xmm0, (%rdx)
	cmovbe	%esi, %eax
	vucomiss	%xmm3, %xmm0
	vmovd	%eax, %xmm6
	jp	.L3448
	vmovss	.LC49(%rip), %xmm2
	jne	.L3448
.L3424:
	vbroadcastss	%xmm2, %zmm5
	testl	%edi, %edi
	jle	.L3480
	vmovaps	-120(%rsp), %zmm3
	vbroadcastss	%xmm6, %zmm6
	vbroadcastss	.LC29(%rip), %zmm7
	vbroadcastss	.LC31(%rip), %zmm4
	movq	16(%r10), %rax
	vbroadcastss	.LC33(%rip), %zmm8
	vsubps	%zmm6, %zmm3, %zmm9
	vbroadcastss	.LC35(%rip), %zmm3
	vbroadcastss	.LC37(%rip), %zmm0
	vbroadcastss	.LC39(%rip), %zmm14
	vbroadcastss	.LC41(%rip), %zmm13
	vbroadcastss	.LC43(%rip), %zmm12
	vmaxps	%zmm9, %zmm7, %zmm9
	vmovaps	%zmm0, %zmm1
	vbroadcastss	.LC45(%rip), %zmm11
	vbroadcastss	.LC47(%rip), %zmm10
	vmulps	%zmm4, %zmm9, %zmm15
	vrndscaleps	$8, %zmm15, %zmm15
	vfmadd231ps	%zmm8, %zmm15, %zmm9
	vfmadd231ps	%zmm3, %zmm15, %zmm9
	vmulps	%zmm9, %zmm9, %zmm16
	vfmadd132ps	%zmm9, %zmm14, %zmm1
	vfmadd132ps	%zmm9, %zmm13, %zmm1
	vfmadd132ps	%zmm9, %zmm12, %zmm1
	vfmadd132ps	%zmm9, %zmm11, %zmm1
	vfmadd132ps	%zmm9, %zmm10, %zmm1
	vfmadd132ps	%zmm16, %zmm9, %zmm1
	vxorps	%xmm16, %xmm16, %xmm16
	vbroadcastss	.LC49(%rip), %zmm9
	vaddps	%zmm9, %zmm1, %zmm1
	vscalefps	%zmm15, %zmm1, %zmm1
	vaddps	%zmm16, %zmm1, %zmm16
	vmovaps	%zmm1, -120(%rsp)
	testq	%rax, %rax
	je	.L3428
	vmulps	(%rax), %zmm1, %zmm1
	vmovaps	%zmm1, -120(%rsp)
.L3428:
	cmpl	$1, %edi
	je	.L3435
	vmovaps	-56(%rsp), %zmm1
	vsubps	%zmm6, %zmm1, %zmm15
	vmovaps	%zmm0, %zmm1
	vmaxps	%zmm15, %zmm7, %zmm15
	vmulps	%zmm4, %zmm15, %zmm17
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm8, %zmm17, %zmm15
	vfmadd231ps	%zmm3, %zmm17, %zmm15
	vmulps	%zmm15, %zmm15, %zmm18
	vfmadd132ps	%zmm15, %zmm14, %zmm1
	vfmadd132ps	%zmm15, %zmm13, %zmm1
	vfmadd132ps	%zmm15, %zmm12, %zmm1
	vfmadd132ps	%zmm15, %zmm11, %zmm1
	vfmadd132ps	%zmm15, %zmm10, %zmm1
	vfmadd132ps	%zmm18, %zmm15, %zmm1
	vaddps	%zmm9, %zmm1, %zmm1
	vscalefps	%zmm17, %zmm1, %zmm1
	vaddps	%zmm1, %zmm16, %zmm16
	vmovaps	%zmm1, -56(%rsp)
	testq	%rax, %rax
	je	.L3431
	vmulps	64(%rax), %zmm1, %zmm1
	vmovaps	%zmm1, -56(%rsp)
.L3431:
	cmpl	$2, %edi
	je	.L3435
	vmovaps	8(%rsp), %zmm1
	vsubps	%zmm6, %zmm1, %zmm15
	vmovaps	%zmm0, %zmm1
	vmaxps	%zmm15, %zmm7, %zmm15
	vmulps	%zmm4, %zmm15, %zmm17
	vrndscaleps	$8, %zmm17, %zmm17
	vfmadd231ps	%zmm8, %zmm17, %zmm15
	vfmadd231ps	%zmm3, %zmm17, %zmm15
	vmulps	%zmm15, %zmm15, %zmm18
	vfmadd132ps	%zmm15, %zmm14, %zmm1
	vfmadd132ps	%zmm15, %zmm13, %zmm1
	vfmadd132ps	%zmm15, %zmm12, %zmm1
	vfmadd132ps	%zmm15, %zmm11, %zmm1
	vfmadd132ps	%zmm15, %zmm10, %zmm1
	vfmadd132ps	%zmm18, %zmm15, %zmm1
	vaddps	%zmm9, %zmm1, %zmm1
	vscalefps	%zmm17, %zmm1, %zmm1
	vaddps	%zmm1, %zmm16, %zmm16
	vmovaps	%zmm1, 8(%rsp)
	testq	%rax, %rax
	je	.L3433
	vmulps	128(%rax), %zmm1, %zmm1
	vmovaps	%zmm1, 8(%rsp)
.L3433:
	cmpl	$3, %edi
	je	.L3435
	vmovaps	72(%rsp), %zmm1
	vsubps	%zmm6, %zmm1, %zmm1
	vmaxps	%zmm1, %zmm7, %zmm7
	vmulps	%zmm4, %zmm7, %zmm4
	vrndscaleps	$8, %zmm4, %zmm4
	vfmadd132ps	%zmm4, %zmm7, %zmm8
	vfmadd132ps	%zmm4, %zmm8, %zmm3
	vmulps	%zmm3, %zmm3, %zmm1
	vfmadd132ps	%zmm3, %zmm14, %zmm0
	vfmadd132ps	%zmm3, %zmm13, %zmm0
	vfmadd132ps	%zmm3, %zmm12, %zmm0
	vfmadd132ps	%zmm3, %zmm11, %zmm0
	vfmadd132ps	%zmm3, %zmm10, %zmm0
	vfmadd132ps	%zmm1, %zmm3, %zmm0
	vaddps	%zmm9, %zmm0, %zmm0
	vscalefps	%zmm4, %zmm0, %zmm0
	vaddps	%zmm0, %zmm16, %zmm16
	vmovaps	%zmm0, 72(%rsp)
	testq	%rax, %rax
	je	.L3435
	vmulps	192(%rax), %zmm0, %zmm0
	vmovaps	%zmm0, 72(%rsp)
.L3435:
	vmulps	(%rcx), %zmm5, %zmm5
	leal	-1(%rdi), %esi
	leaq	-56(%rsp), %rdx
	movl	$1, %eax
	andl	$-2, %esi
	vxorps	%xmm1, %xmm1, %xmm1
	addl	$3, %esi
	vaddps	%zmm16, %zmm5, %zmm5
	vmovups	%zmm5, (%rcx)
	movq	32(%rbp), %rcx
	jmp	.L3438
	.p2align 4,,10
	.p2align 3
.L3481:
	vmovaps	(%rdx), %zmm5
	vmovaps	-64(%rdx), %zmm6
	vcvtne2ps2bf16	%zmm6, %zmm5, %zmm0
.L3475:
	addl	$2, %eax
	vmovups	%zmm0, (%rcx)
	subq	$-128, %rdx
	addq	$64, %rcx
	cmpl	%esi, %eax
	je	.L3395
.L3438:
	cmpl	%eax, %edi
	jg	.L3481
	vmovaps	-64(%rdx), %zmm7
	vcvtne2ps2bf16	%zmm7, %zmm1, %zmm0
	jmp	.L3475
.L3480:
	vmulps	(%rcx), %zmm5, %zmm5
	vxorps	%xmm0, %xmm0, %xmm0
	vaddps	%zmm0, %zmm5, %zmm5
	vmovups	%zmm5, (%rcx)
.L3395:
	vmovaps	%xmm2, %xmm0
	vzeroupper
	leave
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
	.p2align 4,,10
	.p2align 3
.L3448:
	.cfi_restore_state
	vbroadcastss	.LC29(%rip), %zmm0
	vsubss	%xmm6, %xmm3, %xmm3
	vbroadcastss	.LC37(%rip), %zmm2
	vbroadcastss	%xmm3, %zmm3
	vmaxps	%zmm3, %zmm0, %zmm0
	vmulps	.LC31(%rip){1to16}, %zmm0, %zmm1
	vrndscaleps	$8, %zmm1, %zmm1
	vfmadd231ps	.LC33(%rip){1to16}, %zmm1, %zmm0
	vfmadd231ps	.LC35(%rip){1to16}, %zmm1, %zmm0
	vmulps	%zmm0, %zmm0, %zmm3
	vfmadd213ps	.LC39(%rip){1to16}, %zmm0, %zmm2
	vfmadd213ps	.LC41(%rip){1to16}, %zmm0, %zmm2
	vfmadd213ps	.LC43(%rip){1to16}, %zmm0, %zmm2
	vfmadd213ps	.LC45(%rip){1to16}, %zmm0, %zmm2
	vfmadd213ps	.LC47(%rip){1to16}, %zmm0, %zmm2
	vfmadd132ps	%zmm3, %zmm0, %zmm2
	vaddps	.LC49(%rip){1to16}, %zmm2, %zmm2
	vscalefps	%zmm1, %zmm2, %zmm2
	jmp	.L3424
	.p2align 4,,10
	.p2align 3
.L3476:
	kmovw	%r11d, %k3
	vblendmps	%zmm2, %zmm7, %zmm2{%k3}
	jmp	.L3401
	.p2align 4,,10
	.p2align 3
.L3477:
	kmovd	%r11d, %k4
	kshiftrd	$16, %k4, %k2
	vblendmps	%zmm3, %zmm7, %zmm3{%k2}
	jmp	.L3407
	.p2align 4,,10
	.p2align 3
.L3478:
	kmovq	%r11, %k5
	kshiftrq	$32, %k5, %k2
	vblendmps	%zmm3, %zmm7, %zmm3{%k2}
	jmp	.L3413
	.p2align 4,,10
	.p2align 3
.L3479:
	shrq	$48, %r11
	kmovq	%r11, %k1
	vblendmps	%zmm0, %zmm7, %zmm0{%k1}
	jmp	.L3419
.L3439:
	vbroadcastsd	.LC99(%rip), %zmm2
	jmp	.L3396
	.cfi_endproc
.LFE7384:
	.size	_ZN10torchpaged12_GLOBAL__N_111softmax_rowINS0_10Bf16EngineEEEfRKNS0_9ScoreRuleEPKfimbbffRfPfS9_, .-_ZN10torchpaged12_GLOBAL__N_111softmax_rowINS0_10Bf16EngineEEEfRKNS0_9ScoreRuleEPKfimbbffRfPfS9_
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_120multiply_panels_withINS0_7Bf16DotEEEvRKNS_12LinearParamsERKNS_8RowBlockEPKcllPc, @function
_ZN10torchpaged12_GLOBAL__N_120multiply_panels_withINS0_7Bf16DotEEEvRKNS_12LinearParamsERKNS_8RowBlockEPKcllPc:
.LFB7129:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	movq	%rsi, %r14
	pushq	%r13
	.cfi_offset 13, -40
	movq	%rdi, %r13
	pushq	%r12
	pushq	%rbx
	.cfi_offset 12, -48
	.cfi_offset 3, -56
	movq	%r9, %rbx
	andq	$-64, %rsp
	subq	$512, %rsp
	cmpl	$5, 12(%rdi)
	movq	%rcx, 144(%rsp)
	movq	8(%rsi), %rcx
	movq	%rdx, 120(%rsp)
	movq	%r8, 112(%rsp)
	movq	$0, 136(%rsp)
	jne	.L3483
	movq	80(%rdi), %rdx
	leaq	62(%rdx), %rax
	addq	$31, %rdx
	cmovns	%rdx, %rax
	sarq	$5, %rax
	imulq	%rcx, %rax
	leaq	63(,%rax,8), %rcx
	movq	%rcx, %rdx
	sarq	$63, %rdx
	shrq	$58, %rdx
	leaq	(%rcx,%rdx), %rax
	andl	$63, %eax
	subq	%rdx, %rax
	subq	%rax, %rcx
	movq	%rcx, 136(%rsp)
.L3483:
	movq	112(%rsp), %rdi
	vxorps	%xmm0, %xmm0, %xmm0
	cmpq	%rdi, 144(%rsp)
	jge	.L3747
.L3484:
	movq	80(%r13), %r9
	testq	%r9, %r9
	jle	.L3486
	movl	16(%r14), %edi
	xorl	%r12d, %r12d
	movq	%r13, %r15
.L3601:
	movq	%r9, %r10
	movl	$512, %eax
	subq	%r12, %r10
	cmpq	%rax, %r10
	cmovg	%rax, %r10
	movq	144(%rsp), %rax
	imulq	%r9, %rax
	addq	%r12, %rax
	salq	$7, %rax
	addq	48(%r15), %rax
	movq	%rax, %r13
	testl	%edi, %edi
	jle	.L3742
	movq	%r10, %rsi
	xorl	%r11d, %r11d
	salq	$7, %rsi
	addq	%rax, %rsi
	leaq	4096(%rax), %rax
	movq	%rax, 152(%rsp)
	.p2align 4,,10
	.p2align 3
.L3600:
	movq	8(%r14), %rcx
	movslq	%edi, %r8
	movl	%r11d, 128(%rsp)
	imulq	%r11, %rcx
	addq	$1, %r11
	movq	%rcx, %rax
	cqto
	idivq	%r8
	movq	%rax, %rcx
	movq	8(%r14), %rax
	imulq	%r11, %rax
	cqto
	idivq	%r8
	movq	%rcx, %rdx
	imulq	%r9, %rdx
	subq	%rcx, %rax
	movq	%rax, %r8
	imulq	%r12, %r8
	addq	%r8, %rdx
	movq	136(%rsp), %r8
	leaq	(%r8,%rdx,4), %rdx
	movq	120(%rsp), %r8
	addq	%r8, %rdx
	cmpl	$1, %edi
	je	.L3753
	movl	128(%rsp), %r8d
	andl	$1, %r8d
	cmpl	$1, %r8d
	sbbq	%r8, %r8
	salq	$7, %rcx
	andq	$-64, %r8
	addq	%rbx, %rcx
	addq	$192, %r8
	imulq	%r10, %r8
	addq	%r13, %r8
	cmpq	$14, %rax
	je	.L3754
	cmpq	$13, %rax
	je	.L3755
	cmpq	$12, %rax
	je	.L3756
	cmpq	$11, %rax
	je	.L3757
	cmpq	$10, %rax
	je	.L3758
	cmpq	$9, %rax
	je	.L3759
	cmpq	$8, %rax
	je	.L3760
	cmpq	$7, %rax
	je	.L3761
	cmpq	$6, %rax
	je	.L3762
	cmpq	$5, %rax
	je	.L3763
	cmpq	$4, %rax
	je	.L3764
	cmpq	$3, %rax
	je	.L3765
	cmpq	$2, %rax
	je	.L3766
	cmpq	$1, %rax
	je	.L3767
	.p2align 4,,10
	.p2align 3
.L3492:
	cmpl	%r11d, %edi
	jg	.L3600
	addq	$512, %r12
	cmpq	%r9, %r12
	jl	.L3601
.L3742:
	movq	%r15, %r13
.L3486:
	movq	72(%r13), %rsi
	movl	$32, %r15d
	movq	96(%r13), %r10
	vpxor	%xmm1, %xmm1, %xmm1
	movq	144(%rsp), %rax
	movq	%r13, 224(%rsp)
	vmovdqu8	%zmm1, 248(%rsp)
	vmovdqu8	%zmm1, 312(%rsp)
	salq	$5, %rax
	subq	%rax, %rsi
	movq	%rax, 232(%rsp)
	vmovdqu8	%zmm1, 376(%rsp)
	cmpq	%r15, %rsi
	vmovdqu8	%zmm1, 440(%rsp)
	cmovle	%rsi, %r15
	movq	%r15, 240(%rsp)
	testq	%r10, %r10
	je	.L3658
	movl	104(%r13), %edx
	cmpl	$1, %edx
	je	.L3603
	cmpl	$2, %edx
	jne	.L3604
	xorl	%ecx, %ecx
	leaq	160(%rsp), %rdx
	leaq	224(%rsp), %r12
	vpxor	%xmm2, %xmm2, %xmm2
	testq	%rsi, %rsi
	jle	.L3751
	movq	%r15, %rsi
	jmp	.L3605
.L3616:
	xorl	%edi, %edi
	testb	$4, %sil
	je	.L3619
	movl	(%rax), %edi
	movl	%edi, (%r8)
	movl	$4, %edi
.L3619:
	andl	$2, %esi
	je	.L3621
	movzwl	(%rax,%rdi), %eax
	movw	%ax, (%r8,%rdi)
.L3621:
	vpmovzxwd	160(%rsp), %zmm1
	vpslld	$16, %zmm1, %zmm1
	vmovups	%zmm1, 24(%r12,%rcx,4)
	movq	240(%rsp), %rsi
	addq	$16, %rcx
	cmpq	%rcx, %rsi
	jle	.L3749
	movq	224(%rsp), %rax
	movq	96(%rax), %r10
	movq	232(%rsp), %rax
.L3605:
	movl	$16, %edi
	subq	%rcx, %rsi
	movq	%rdx, %r8
	vmovdqa	%ymm2, 160(%rsp)
	cmpq	%rdi, %rsi
	cmovg	%rdi, %rsi
	addq	%rcx, %rax
	leaq	(%r10,%rax,2), %rdi
	addq	%rsi, %rsi
	movq	%rdi, %rax
	cmpl	$8, %esi
	jb	.L3616
	movl	%esi, %r9d
	xorl	%eax, %eax
	andl	$-8, %r9d
.L3617:
	movl	%eax, %r8d
	addl	$8, %eax
	movq	(%rdi,%r8), %r10
	movq	%r10, (%rdx,%r8)
	cmpl	%r9d, %eax
	jb	.L3617
	leaq	(%rdx,%rax), %r8
	addq	%rdi, %rax
	jmp	.L3616
.L3754:
	vxorps	%xmm31, %xmm31, %xmm31
	movq	%r13, %rax
	vmovaps	%zmm31, %zmm4
	vmovaps	%zmm31, %zmm5
	vmovaps	%zmm31, %zmm6
	vmovaps	%zmm31, %zmm7
	vmovaps	%zmm31, %zmm8
	vmovaps	%zmm31, %zmm9
	vmovaps	%zmm31, %zmm10
	vmovaps	%zmm31, %zmm11
	vmovaps	%zmm31, %zmm12
	vmovaps	%zmm31, %zmm13
	vmovaps	%zmm31, %zmm14
	vmovaps	%zmm31, %zmm15
	vmovaps	%zmm31, %zmm16
	vmovaps	%zmm31, %zmm17
	vmovaps	%zmm31, %zmm18
	vmovaps	%zmm31, %zmm19
	vmovaps	%zmm31, %zmm20
	vmovaps	%zmm31, %zmm21
	vmovaps	%zmm31, %zmm22
	vmovaps	%zmm31, %zmm23
	vmovaps	%zmm31, %zmm24
	vmovaps	%zmm31, %zmm25
	vmovaps	%zmm31, %zmm26
	vmovaps	%zmm31, %zmm27
	vmovaps	%zmm31, %zmm28
	vmovaps	%zmm31, %zmm29
	vmovaps	%zmm31, %zmm30
	.p2align 4,,10
	.p2align 3
.L3546:
	vpbroadcastd	(%rdx), %zmm3
	subq	$-128, %rax
	prefetcht1	(%r8)
	addq	$56, %rdx
	vmovups	-128(%rax), %zmm2
	vmovups	-64(%rax), %zmm1
	addq	$64, %r8
	vdpbf16ps	%zmm3, %zmm2, %zmm30
	vdpbf16ps	%zmm3, %zmm1, %zmm29
	vpbroadcastd	-52(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm28
	vdpbf16ps	%zmm3, %zmm1, %zmm27
	vpbroadcastd	-48(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm26
	vdpbf16ps	%zmm3, %zmm1, %zmm25
	vpbroadcastd	-44(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm24
	vdpbf16ps	%zmm3, %zmm1, %zmm23
	vpbroadcastd	-40(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm22
	vdpbf16ps	%zmm3, %zmm1, %zmm21
	vpbroadcastd	-36(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm20
	vdpbf16ps	%zmm3, %zmm1, %zmm19
	vpbroadcastd	-32(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm18
	vdpbf16ps	%zmm3, %zmm1, %zmm17
	vpbroadcastd	-28(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm16
	vdpbf16ps	%zmm3, %zmm1, %zmm15
	vpbroadcastd	-24(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm14
	vdpbf16ps	%zmm3, %zmm1, %zmm13
	vpbroadcastd	-20(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm12
	vdpbf16ps	%zmm3, %zmm1, %zmm11
	vpbroadcastd	-16(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm10
	vdpbf16ps	%zmm3, %zmm1, %zmm9
	vpbroadcastd	-12(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm8
	vdpbf16ps	%zmm3, %zmm1, %zmm7
	vpbroadcastd	-8(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm6
	vdpbf16ps	%zmm3, %zmm1, %zmm5
	vpbroadcastd	-4(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm4
	vdpbf16ps	%zmm3, %zmm1, %zmm31
	cmpq	%rsi, %rax
	jne	.L3546
	testq	%r12, %r12
	je	.L3547
	vaddps	(%rcx), %zmm30, %zmm30
	vaddps	64(%rcx), %zmm29, %zmm29
	vaddps	128(%rcx), %zmm28, %zmm28
	vaddps	192(%rcx), %zmm27, %zmm27
	vaddps	256(%rcx), %zmm26, %zmm26
	vaddps	320(%rcx), %zmm25, %zmm25
	vaddps	384(%rcx), %zmm24, %zmm24
	vmovups	%zmm30, (%rcx)
	vaddps	448(%rcx), %zmm23, %zmm23
	vaddps	512(%rcx), %zmm22, %zmm22
	vaddps	576(%rcx), %zmm21, %zmm21
	vmovups	%zmm29, 64(%rcx)
	vaddps	640(%rcx), %zmm20, %zmm20
	vaddps	704(%rcx), %zmm19, %zmm19
	vmovups	%zmm28, 128(%rcx)
	vaddps	768(%rcx), %zmm18, %zmm18
	vaddps	832(%rcx), %zmm17, %zmm17
	vmovups	%zmm27, 192(%rcx)
	vaddps	896(%rcx), %zmm16, %zmm16
	vaddps	960(%rcx), %zmm15, %zmm15
	vmovups	%zmm26, 256(%rcx)
	vmovups	%zmm25, 320(%rcx)
	vmovups	%zmm24, 384(%rcx)
	vmovups	%zmm23, 448(%rcx)
	vmovups	%zmm22, 512(%rcx)
	vmovups	%zmm21, 576(%rcx)
	vmovups	%zmm20, 640(%rcx)
	vmovups	%zmm19, 704(%rcx)
	vmovups	%zmm18, 768(%rcx)
	vmovups	%zmm17, 832(%rcx)
	vmovups	%zmm16, 896(%rcx)
	vmovups	%zmm15, 960(%rcx)
	vaddps	1024(%rcx), %zmm14, %zmm14
	vaddps	1088(%rcx), %zmm13, %zmm13
	vaddps	1152(%rcx), %zmm12, %zmm12
	vaddps	1216(%rcx), %zmm11, %zmm11
	vaddps	1280(%rcx), %zmm10, %zmm10
	vaddps	1344(%rcx), %zmm9, %zmm9
	vaddps	1408(%rcx), %zmm8, %zmm8
	vaddps	1472(%rcx), %zmm7, %zmm7
	vmovups	%zmm14, 1024(%rcx)
	vaddps	1536(%rcx), %zmm6, %zmm6
	vaddps	1600(%rcx), %zmm5, %zmm5
	vmovups	%zmm13, 1088(%rcx)
	vaddps	1664(%rcx), %zmm4, %zmm4
	vmovups	1728(%rcx), %zmm1
	vmovups	%zmm12, 1152(%rcx)
	vmovups	%zmm11, 1216(%rcx)
	vmovups	%zmm10, 1280(%rcx)
	vmovups	%zmm9, 1344(%rcx)
	vmovups	%zmm8, 1408(%rcx)
	vmovups	%zmm7, 1472(%rcx)
	vmovups	%zmm6, 1536(%rcx)
	vmovups	%zmm5, 1600(%rcx)
	vmovups	%zmm4, 1664(%rcx)
.L3548:
	vaddps	%zmm31, %zmm1, %zmm1
	vmovups	%zmm1, 1728(%rcx)
	movl	16(%r14), %edi
	movq	80(%r15), %r9
	jmp	.L3492
.L3547:
	vaddps	%zmm0, %zmm30, %zmm30
	vaddps	%zmm0, %zmm29, %zmm29
	vxorps	%xmm1, %xmm1, %xmm1
	vaddps	%zmm0, %zmm28, %zmm28
	vaddps	%zmm0, %zmm27, %zmm27
	vaddps	%zmm0, %zmm26, %zmm26
	vaddps	%zmm0, %zmm25, %zmm25
	vaddps	%zmm0, %zmm24, %zmm24
	vaddps	%zmm0, %zmm23, %zmm23
	vmovups	%zmm30, (%rcx)
	vaddps	%zmm0, %zmm22, %zmm22
	vaddps	%zmm0, %zmm21, %zmm21
	vmovups	%zmm29, 64(%rcx)
	vaddps	%zmm0, %zmm20, %zmm20
	vaddps	%zmm0, %zmm19, %zmm19
	vmovups	%zmm28, 128(%rcx)
	vaddps	%zmm0, %zmm18, %zmm18
	vaddps	%zmm0, %zmm17, %zmm17
	vmovups	%zmm27, 192(%rcx)
	vaddps	%zmm0, %zmm16, %zmm16
	vaddps	%zmm0, %zmm15, %zmm15
	vmovups	%zmm26, 256(%rcx)
	vaddps	%zmm0, %zmm14, %zmm14
	vaddps	%zmm0, %zmm13, %zmm13
	vmovups	%zmm25, 320(%rcx)
	vaddps	%zmm0, %zmm12, %zmm12
	vaddps	%zmm0, %zmm11, %zmm11
	vmovups	%zmm24, 384(%rcx)
	vaddps	%zmm0, %zmm10, %zmm10
	vaddps	%zmm0, %zmm9, %zmm9
	vmovups	%zmm23, 448(%rcx)
	vaddps	%zmm0, %zmm8, %zmm8
	vaddps	%zmm0, %zmm7, %zmm7
	vmovups	%zmm22, 512(%rcx)
	vaddps	%zmm0, %zmm6, %zmm6
	vaddps	%zmm0, %zmm5, %zmm5
	vmovups	%zmm21, 576(%rcx)
	vmovups	%zmm20, 640(%rcx)
	vaddps	%zmm0, %zmm4, %zmm4
	vmovups	%zmm19, 704(%rcx)
	vmovups	%zmm18, 768(%rcx)
	vmovups	%zmm17, 832(%rcx)
	vmovups	%zmm16, 896(%rcx)
	vmovups	%zmm15, 960(%rcx)
	vmovups	%zmm14, 1024(%rcx)
	vmovups	%zmm13, 1088(%rcx)
	vmovups	%zmm12, 1152(%rcx)
	vmovups	%zmm11, 1216(%rcx)
	vmovups	%zmm10, 1280(%rcx)
	vmovups	%zmm9, 1344(%rcx)
	vmovups	%zmm8, 1408(%rcx)
	vmovups	%zmm7, 1472(%rcx)
	vmovups	%zmm6, 1536(%rcx)
	vmovups	%zmm5, 1600(%rcx)
	vmovups	%zmm4, 1664(%rcx)
	jmp	.L3548
.L3753:
	cmpq	$14, %rax
	je	.L3768
	cmpq	$13, %rax
	je	.L3769
	cmpq	$12, %rax
	je	.L3770
	cmpq	$11, %rax
	je	.L3771
	cmpq	$10, %rax
	je	.L3772
	cmpq	$9, %rax
	je	.L3773
	cmpq	$8, %rax
	je	.L3774
	cmpq	$7, %rax
	je	.L3775
	cmpq	$6, %rax
	je	.L3776
	cmpq	$5, %rax
	je	.L3777
	cmpq	$4, %rax
	je	.L3778
	cmpq	$3, %rax
	je	.L3779
	cmpq	$2, %rax
	je	.L3780
	cmpq	$1, %rax
	jne	.L3492
	vxorps	%xmm4, %xmm4, %xmm4
	leaq	4160(%r13), %rax
	leaq	(%rdx,%r10,4), %rcx
	vmovaps	%zmm4, %zmm1
.L3541:
	vpbroadcastd	(%rdx), %zmm5
	addq	$4, %rdx
	prefetcht0	(%rax)
	vmovups	-4160(%rax), %zmm3
	vmovups	-4096(%rax), %zmm2
	prefetcht0	-64(%rax)
	subq	$-128, %rax
	vdpbf16ps	%zmm5, %zmm3, %zmm1
	vdpbf16ps	%zmm5, %zmm2, %zmm4
	cmpq	%rcx, %rdx
	jne	.L3541
	testq	%r12, %r12
	je	.L3542
	vaddps	(%rbx), %zmm1, %zmm1
	vmovups	64(%rbx), %zmm2
.L3543:
	vaddps	%zmm4, %zmm2, %zmm2
	vmovups	%zmm1, (%rbx)
	vmovups	%zmm2, 64(%rbx)
	movl	16(%r14), %edi
	movq	80(%r15), %r9
	jmp	.L3492
.L3755:
	vxorps	%xmm29, %xmm29, %xmm29
	movq	%r13, %rax
	vmovaps	%zmm29, %zmm4
	vmovaps	%zmm29, %zmm5
	vmovaps	%zmm29, %zmm6
	vmovaps	%zmm29, %zmm7
	vmovaps	%zmm29, %zmm8
	vmovaps	%zmm29, %zmm9
	vmovaps	%zmm29, %zmm10
	vmovaps	%zmm29, %zmm11
	vmovaps	%zmm29, %zmm12
	vmovaps	%zmm29, %zmm13
	vmovaps	%zmm29, %zmm14
	vmovaps	%zmm29, %zmm15
	vmovaps	%zmm29, %zmm16
	vmovaps	%zmm29, %zmm17
	vmovaps	%zmm29, %zmm18
	vmovaps	%zmm29, %zmm19
	vmovaps	%zmm29, %zmm20
	vmovaps	%zmm29, %zmm21
	vmovaps	%zmm29, %zmm22
	vmovaps	%zmm29, %zmm23
	vmovaps	%zmm29, %zmm24
	vmovaps	%zmm29, %zmm25
	vmovaps	%zmm29, %zmm26
	vmovaps	%zmm29, %zmm27
	vmovaps	%zmm29, %zmm28
	.p2align 4,,10
	.p2align 3
.L3550:
	vpbroadcastd	(%rdx), %zmm3
	subq	$-128, %rax
	prefetcht1	(%r8)
	addq	$52, %rdx
	vmovups	-128(%rax), %zmm2
	vmovups	-64(%rax), %zmm1
	addq	$64, %r8
	vdpbf16ps	%zmm3, %zmm2, %zmm28
	vdpbf16ps	%zmm3, %zmm1, %zmm27
	vpbroadcastd	-48(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm26
	vdpbf16ps	%zmm3, %zmm1, %zmm25
	vpbroadcastd	-44(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm24
	vdpbf16ps	%zmm3, %zmm1, %zmm23
	vpbroadcastd	-40(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm22
	vdpbf16ps	%zmm3, %zmm1, %zmm21
	vpbroadcastd	-36(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm20
	vdpbf16ps	%zmm3, %zmm1, %zmm19
	vpbroadcastd	-32(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm18
	vdpbf16ps	%zmm3, %zmm1, %zmm17
	vpbroadcastd	-28(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm16
	vdpbf16ps	%zmm3, %zmm1, %zmm15
	vpbroadcastd	-24(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm14
	vdpbf16ps	%zmm3, %zmm1, %zmm13
	vpbroadcastd	-20(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm12
	vdpbf16ps	%zmm3, %zmm1, %zmm11
	vpbroadcastd	-16(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm10
	vdpbf16ps	%zmm3, %zmm1, %zmm9
	vpbroadcastd	-12(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm8
	vdpbf16ps	%zmm3, %zmm1, %zmm7
	vpbroadcastd	-8(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm6
	vdpbf16ps	%zmm3, %zmm1, %zmm5
	vpbroadcastd	-4(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm4
	vdpbf16ps	%zmm3, %zmm1, %zmm29
	cmpq	%rax, %rsi
	jne	.L3550
	testq	%r12, %r12
	je	.L3551
	vaddps	(%rcx), %zmm28, %zmm28
	vaddps	64(%rcx), %zmm27, %zmm27
	vaddps	128(%rcx), %zmm26, %zmm26
	vaddps	192(%rcx), %zmm25, %zmm25
	vaddps	256(%rcx), %zmm24, %zmm24
	vaddps	320(%rcx), %zmm23, %zmm23
	vaddps	384(%rcx), %zmm22, %zmm22
	vmovups	%zmm28, (%rcx)
	vaddps	448(%rcx), %zmm21, %zmm21
	vaddps	512(%rcx), %zmm20, %zmm20
	vaddps	576(%rcx), %zmm19, %zmm19
	vmovups	%zmm27, 64(%rcx)
	vaddps	640(%rcx), %zmm18, %zmm18
	vaddps	704(%rcx), %zmm17, %zmm17
	vmovups	%zmm26, 128(%rcx)
	vaddps	768(%rcx), %zmm16, %zmm16
	vaddps	832(%rcx), %zmm15, %zmm15
	vmovups	%zmm25, 192(%rcx)
	vaddps	896(%rcx), %zmm14, %zmm14
	vaddps	960(%rcx), %zmm13, %zmm13
	vmovups	%zmm24, 256(%rcx)
	vmovups	%zmm23, 320(%rcx)
	vmovups	%zmm22, 384(%rcx)
	vmovups	%zmm21, 448(%rcx)
	vmovups	%zmm20, 512(%rcx)
	vmovups	%zmm19, 576(%rcx)
	vmovups	%zmm18, 640(%rcx)
	vmovups	%zmm17, 704(%rcx)
	vmovups	%zmm16, 768(%rcx)
	vmovups	%zmm15, 832(%rcx)
	vmovups	%zmm14, 896(%rcx)
	vmovups	%zmm13, 960(%rcx)
	vaddps	1024(%rcx), %zmm12, %zmm12
	vaddps	1088(%rcx), %zmm11, %zmm11
	vaddps	1152(%rcx), %zmm10, %zmm10
	vaddps	1216(%rcx), %zmm9, %zmm9
	vaddps	1280(%rcx), %zmm8, %zmm8
	vaddps	1344(%rcx), %zmm7, %zmm7
	vaddps	1408(%rcx), %zmm6, %zmm6
	vaddps	1472(%rcx), %zmm5, %zmm5
	vmovups	%zmm12, 1024(%rcx)
	vaddps	1536(%rcx), %zmm4, %zmm4
	vmovups	1600(%rcx), %zmm1
	vmovups	%zmm11, 1088(%rcx)
	vmovups	%zmm10, 1152(%rcx)
	vmovups	%zmm9, 1216(%rcx)
	vmovups	%zmm8, 1280(%rcx)
	vmovups	%zmm7, 1344(%rcx)
	vmovups	%zmm6, 1408(%rcx)
	vmovups	%zmm5, 1472(%rcx)
	vmovups	%zmm4, 1536(%rcx)
.L3552:
	vaddps	%zmm29, %zmm1, %zmm1
	vmovups	%zmm1, 1600(%rcx)
	movl	16(%r14), %edi
	movq	80(%r15), %r9
	jmp	.L3492
.L3551:
	vaddps	%zmm0, %zmm28, %zmm28
	vaddps	%zmm0, %zmm27, %zmm27
	vxorps	%xmm1, %xmm1, %xmm1
	vaddps	%zmm0, %zmm26, %zmm26
	vaddps	%zmm0, %zmm25, %zmm25
	vaddps	%zmm0, %zmm24, %zmm24
	vaddps	%zmm0, %zmm23, %zmm23
	vaddps	%zmm0, %zmm22, %zmm22
	vaddps	%zmm0, %zmm21, %zmm21
	vmovups	%zmm28, (%rcx)
	vaddps	%zmm0, %zmm20, %zmm20
	vaddps	%zmm0, %zmm19, %zmm19
	vmovups	%zmm27, 64(%rcx)
	vaddps	%zmm0, %zmm18, %zmm18
	vaddps	%zmm0, %zmm17, %zmm17
	vmovups	%zmm26, 128(%rcx)
	vaddps	%zmm0, %zmm16, %zmm16
	vaddps	%zmm0, %zmm15, %zmm15
	vmovups	%zmm25, 192(%rcx)
	vaddps	%zmm0, %zmm14, %zmm14
	vaddps	%zmm0, %zmm13, %zmm13
	vmovups	%zmm24, 256(%rcx)
	vaddps	%zmm0, %zmm12, %zmm12
	vaddps	%zmm0, %zmm11, %zmm11
	vmovups	%zmm23, 320(%rcx)
	vaddps	%zmm0, %zmm10, %zmm10
	vaddps	%zmm0, %zmm9, %zmm9
	vmovups	%zmm22, 384(%rcx)
	vaddps	%zmm0, %zmm8, %zmm8
	vaddps	%zmm0, %zmm7, %zmm7
	vmovups	%zmm21, 448(%rcx)
	vaddps	%zmm0, %zmm6, %zmm6
	vaddps	%zmm0, %zmm5, %zmm5
	vmovups	%zmm20, 512(%rcx)
	vmovups	%zmm19, 576(%rcx)
	vaddps	%zmm0, %zmm4, %zmm4
	vmovups	%zmm18, 640(%rcx)
	vmovups	%zmm17, 704(%rcx)
	vmovups	%zmm16, 768(%rcx)
	vmovups	%zmm15, 832(%rcx)
	vmovups	%zmm14, 896(%rcx)
	vmovups	%zmm13, 960(%rcx)
	vmovups	%zmm12, 1024(%rcx)
	vmovups	%zmm11, 1088(%rcx)
	vmovups	%zmm10, 1152(%rcx)
	vmovups	%zmm9, 1216(%rcx)
	vmovups	%zmm8, 1280(%rcx)
	vmovups	%zmm7, 1344(%rcx)
	vmovups	%zmm6, 1408(%rcx)
	vmovups	%zmm5, 1472(%rcx)
	vmovups	%zmm4, 1536(%rcx)
	jmp	.L3552
.L3757:
	vxorps	%xmm25, %xmm25, %xmm25
	movq	%r13, %rax
	vmovaps	%zmm25, %zmm4
	vmovaps	%zmm25, %zmm5
	vmovaps	%zmm25, %zmm6
	vmovaps	%zmm25, %zmm7
	vmovaps	%zmm25, %zmm8
	vmovaps	%zmm25, %zmm9
	vmovaps	%zmm25, %zmm10
	vmovaps	%zmm25, %zmm11
	vmovaps	%zmm25, %zmm12
	vmovaps	%zmm25, %zmm13
	vmovaps	%zmm25, %zmm14
	vmovaps	%zmm25, %zmm15
	vmovaps	%zmm25, %zmm16
	vmovaps	%zmm25, %zmm17
	vmovaps	%zmm25, %zmm18
	vmovaps	%zmm25, %zmm19
	vmovaps	%zmm25, %zmm20
	vmovaps	%zmm25, %zmm21
	vmovaps	%zmm25, %zmm22
	vmovaps	%zmm25, %zmm23
	vmovaps	%zmm25, %zmm24
	.p2align 4,,10
	.p2align 3
.L3558:
	vpbroadcastd	(%rdx), %zmm3
	subq	$-128, %rax
	prefetcht1	(%r8)
	addq	$44, %rdx
	vmovups	-128(%rax), %zmm2
	vmovups	-64(%rax), %zmm1
	addq	$64, %r8
	vdpbf16ps	%zmm3, %zmm2, %zmm24
	vdpbf16ps	%zmm3, %zmm1, %zmm23
	vpbroadcastd	-40(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm22
	vdpbf16ps	%zmm3, %zmm1, %zmm21
	vpbroadcastd	-36(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm20
	vdpbf16ps	%zmm3, %zmm1, %zmm19
	vpbroadcastd	-32(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm18
	vdpbf16ps	%zmm3, %zmm1, %zmm17
	vpbroadcastd	-28(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm16
	vdpbf16ps	%zmm3, %zmm1, %zmm15
	vpbroadcastd	-24(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm14
	vdpbf16ps	%zmm3, %zmm1, %zmm13
	vpbroadcastd	-20(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm12
	vdpbf16ps	%zmm3, %zmm1, %zmm11
	vpbroadcastd	-16(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm10
	vdpbf16ps	%zmm3, %zmm1, %zmm9
	vpbroadcastd	-12(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm8
	vdpbf16ps	%zmm3, %zmm1, %zmm7
	vpbroadcastd	-8(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm6
	vdpbf16ps	%zmm3, %zmm1, %zmm5
	vpbroadcastd	-4(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm4
	vdpbf16ps	%zmm3, %zmm1, %zmm25
	cmpq	%rsi, %rax
	jne	.L3558
	testq	%r12, %r12
	je	.L3559
	vaddps	(%rcx), %zmm24, %zmm24
	vaddps	64(%rcx), %zmm23, %zmm23
	vaddps	128(%rcx), %zmm22, %zmm22
	vaddps	192(%rcx), %zmm21, %zmm21
	vaddps	256(%rcx), %zmm20, %zmm20
	vaddps	320(%rcx), %zmm19, %zmm19
	vaddps	384(%rcx), %zmm18, %zmm18
	vmovups	%zmm24, (%rcx)
	vaddps	448(%rcx), %zmm17, %zmm17
	vaddps	512(%rcx), %zmm16, %zmm16
	vaddps	576(%rcx), %zmm15, %zmm15
	vmovups	%zmm23, 64(%rcx)
	vaddps	640(%rcx), %zmm14, %zmm14
	vaddps	704(%rcx), %zmm13, %zmm13
	vmovups	%zmm22, 128(%rcx)
	vaddps	768(%rcx), %zmm12, %zmm12
	vaddps	832(%rcx), %zmm11, %zmm11
	vmovups	%zmm21, 192(%rcx)
	vaddps	896(%rcx), %zmm10, %zmm10
	vaddps	960(%rcx), %zmm9, %zmm9
	vmovups	%zmm20, 256(%rcx)
	vmovups	%zmm19, 320(%rcx)
	vmovups	%zmm18, 384(%rcx)
	vmovups	%zmm17, 448(%rcx)
	vmovups	%zmm16, 512(%rcx)
	vmovups	%zmm15, 576(%rcx)
	vmovups	%zmm14, 640(%rcx)
	vmovups	%zmm13, 704(%rcx)
	vmovups	%zmm12, 768(%rcx)
	vmovups	%zmm11, 832(%rcx)
	vmovups	%zmm10, 896(%rcx)
	vmovups	%zmm9, 960(%rcx)
	vaddps	1024(%rcx), %zmm8, %zmm8
	vaddps	1088(%rcx), %zmm7, %zmm7
	vaddps	1152(%rcx), %zmm6, %zmm6
	vaddps	1216(%rcx), %zmm5, %zmm5
	vaddps	1280(%rcx), %zmm4, %zmm4
	vmovups	1344(%rcx), %zmm1
	vmovups	%zmm8, 1024(%rcx)
	vmovups	%zmm7, 1088(%rcx)
	vmovups	%zmm6, 1152(%rcx)
	vmovups	%zmm5, 1216(%rcx)
	vmovups	%zmm4, 1280(%rcx)
.L3560:
	vaddps	%zmm25, %zmm1, %zmm1
	vmovups	%zmm1, 1344(%rcx)
	movl	16(%r14), %edi
	movq	80(%r15), %r9
	jmp	.L3492
.L3559:
	vaddps	%zmm0, %zmm24, %zmm24
	vaddps	%zmm0, %zmm23, %zmm23
	vxorps	%xmm1, %xmm1, %xmm1
	vaddps	%zmm0, %zmm22, %zmm22
	vaddps	%zmm0, %zmm21, %zmm21
	vaddps	%zmm0, %zmm20, %zmm20
	vaddps	%zmm0, %zmm19, %zmm19
	vaddps	%zmm0, %zmm18, %zmm18
	vaddps	%zmm0, %zmm17, %zmm17
	vmovups	%zmm24, (%rcx)
	vaddps	%zmm0, %zmm16, %zmm16
	vaddps	%zmm0, %zmm15, %zmm15
	vmovups	%zmm23, 64(%rcx)
	vaddps	%zmm0, %zmm14, %zmm14
	vaddps	%zmm0, %zmm13, %zmm13
	vmovups	%zmm22, 128(%rcx)
	vaddps	%zmm0, %zmm12, %zmm12
	vaddps	%zmm0, %zmm11, %zmm11
	vmovups	%zmm21, 192(%rcx)
	vaddps	%zmm0, %zmm10, %zmm10
	vaddps	%zmm0, %zmm9, %zmm9
	vmovups	%zmm20, 256(%rcx)
	vaddps	%zmm0, %zmm8, %zmm8
	vaddps	%zmm0, %zmm7, %zmm7
	vmovups	%zmm19, 320(%rcx)
	vaddps	%zmm0, %zmm6, %zmm6
	vaddps	%zmm0, %zmm5, %zmm5
	vmovups	%zmm18, 384(%rcx)
	vmovups	%zmm17, 448(%rcx)
	vaddps	%zmm0, %zmm4, %zmm4
	vmovups	%zmm16, 512(%rcx)
	vmovups	%zmm15, 576(%rcx)
	vmovups	%zmm14, 640(%rcx)
	vmovups	%zmm13, 704(%rcx)
	vmovups	%zmm12, 768(%rcx)
	vmovups	%zmm11, 832(%rcx)
	vmovups	%zmm10, 896(%rcx)
	vmovups	%zmm9, 960(%rcx)
	vmovups	%zmm8, 1024(%rcx)
	vmovups	%zmm7, 1088(%rcx)
	vmovups	%zmm6, 1152(%rcx)
	vmovups	%zmm5, 1216(%rcx)
	vmovups	%zmm4, 1280(%rcx)
	jmp	.L3560
.L3756:
	vxorps	%xmm27, %xmm27, %xmm27
	movq	%r13, %rax
	vmovaps	%zmm27, %zmm4
	vmovaps	%zmm27, %zmm5
	vmovaps	%zmm27, %zmm6
	vmovaps	%zmm27, %zmm7
	vmovaps	%zmm27, %zmm8
	vmovaps	%zmm27, %zmm9
	vmovaps	%zmm27, %zmm10
	vmovaps	%zmm27, %zmm11
	vmovaps	%zmm27, %zmm12
	vmovaps	%zmm27, %zmm13
	vmovaps	%zmm27, %zmm14
	vmovaps	%zmm27, %zmm15
	vmovaps	%zmm27, %zmm16
	vmovaps	%zmm27, %zmm17
	vmovaps	%zmm27, %zmm18
	vmovaps	%zmm27, %zmm19
	vmovaps	%zmm27, %zmm20
	vmovaps	%zmm27, %zmm21
	vmovaps	%zmm27, %zmm22
	vmovaps	%zmm27, %zmm23
	vmovaps	%zmm27, %zmm24
	vmovaps	%zmm27, %zmm25
	vmovaps	%zmm27, %zmm26
	.p2align 4,,10
	.p2align 3
.L3554:
	vpbroadcastd	(%rdx), %zmm3
	subq	$-128, %rax
	prefetcht1	(%r8)
	addq	$48, %rdx
	vmovups	-128(%rax), %zmm2
	vmovups	-64(%rax), %zmm1
	addq	$64, %r8
	vdpbf16ps	%zmm3, %zmm2, %zmm26
	vdpbf16ps	%zmm3, %zmm1, %zmm25
	vpbroadcastd	-44(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm24
	vdpbf16ps	%zmm3, %zmm1, %zmm23
	vpbroadcastd	-40(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm22
	vdpbf16ps	%zmm3, %zmm1, %zmm21
	vpbroadcastd	-36(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm20
	vdpbf16ps	%zmm3, %zmm1, %zmm19
	vpbroadcastd	-32(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm18
	vdpbf16ps	%zmm3, %zmm1, %zmm17
	vpbroadcastd	-28(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm16
	vdpbf16ps	%zmm3, %zmm1, %zmm15
	vpbroadcastd	-24(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm14
	vdpbf16ps	%zmm3, %zmm1, %zmm13
	vpbroadcastd	-20(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm12
	vdpbf16ps	%zmm3, %zmm1, %zmm11
	vpbroadcastd	-16(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm10
	vdpbf16ps	%zmm3, %zmm1, %zmm9
	vpbroadcastd	-12(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm8
	vdpbf16ps	%zmm3, %zmm1, %zmm7
	vpbroadcastd	-8(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm6
	vdpbf16ps	%zmm3, %zmm1, %zmm5
	vpbroadcastd	-4(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm4
	vdpbf16ps	%zmm3, %zmm1, %zmm27
	cmpq	%rsi, %rax
	jne	.L3554
	testq	%r12, %r12
	je	.L3555
	vaddps	(%rcx), %zmm26, %zmm26
	vaddps	64(%rcx), %zmm25, %zmm25
	vaddps	128(%rcx), %zmm24, %zmm24
	vaddps	192(%rcx), %zmm23, %zmm23
	vaddps	256(%rcx), %zmm22, %zmm22
	vaddps	320(%rcx), %zmm21, %zmm21
	vaddps	384(%rcx), %zmm20, %zmm20
	vmovups	%zmm26, (%rcx)
	vaddps	448(%rcx), %zmm19, %zmm19
	vaddps	512(%rcx), %zmm18, %zmm18
	vaddps	576(%rcx), %zmm17, %zmm17
	vmovups	%zmm25, 64(%rcx)
	vaddps	640(%rcx), %zmm16, %zmm16
	vaddps	704(%rcx), %zmm15, %zmm15
	vmovups	%zmm24, 128(%rcx)
	vaddps	768(%rcx), %zmm14, %zmm14
	vaddps	832(%rcx), %zmm13, %zmm13
	vmovups	%zmm23, 192(%rcx)
	vaddps	896(%rcx), %zmm12, %zmm12
	vaddps	960(%rcx), %zmm11, %zmm11
	vmovups	%zmm22, 256(%rcx)
	vmovups	%zmm21, 320(%rcx)
	vmovups	%zmm20, 384(%rcx)
	vmovups	%zmm19, 448(%rcx)
	vmovups	%zmm18, 512(%rcx)
	vmovups	%zmm17, 576(%rcx)
	vmovups	%zmm16, 640(%rcx)
	vmovups	%zmm15, 704(%rcx)
	vmovups	%zmm14, 768(%rcx)
	vmovups	%zmm13, 832(%rcx)
	vmovups	%zmm12, 896(%rcx)
	vmovups	%zmm11, 960(%rcx)
	vaddps	1024(%rcx), %zmm10, %zmm10
	vaddps	1088(%rcx), %zmm9, %zmm9
	vaddps	1152(%rcx), %zmm8, %zmm8
	vaddps	1216(%rcx), %zmm7, %zmm7
	vaddps	1280(%rcx), %zmm6, %zmm6
	vaddps	1344(%rcx), %zmm5, %zmm5
	vaddps	1408(%rcx), %zmm4, %zmm4
	vmovups	1472(%rcx), %zmm1
	vmovups	%zmm10, 1024(%rcx)
	vmovups	%zmm9, 1088(%rcx)
	vmovups	%zmm8, 1152(%rcx)
	vmovups	%zmm7, 1216(%rcx)
	vmovups	%zmm6, 1280(%rcx)
	vmovups	%zmm5, 1344(%rcx)
	vmovups	%zmm4, 1408(%rcx)
.L3556:
	vaddps	%zmm27, %zmm1, %zmm1
	vmovups	%zmm1, 1472(%rcx)
	movl	16(%r14), %edi
	movq	80(%r15), %r9
	jmp	.L3492
.L3555:
	vaddps	%zmm0, %zmm26, %zmm26
	vaddps	%zmm0, %zmm25, %zmm25
	vxorps	%xmm1, %xmm1, %xmm1
	vaddps	%zmm0, %zmm24, %zmm24
	vaddps	%zmm0, %zmm23, %zmm23
	vaddps	%zmm0, %zmm22, %zmm22
	vaddps	%zmm0, %zmm21, %zmm21
	vaddps	%zmm0, %zmm20, %zmm20
	vaddps	%zmm0, %zmm19, %zmm19
	vmovups	%zmm26, (%rcx)
	vaddps	%zmm0, %zmm18, %zmm18
	vaddps	%zmm0, %zmm17, %zmm17
	vmovups	%zmm25, 64(%rcx)
	vaddps	%zmm0, %zmm16, %zmm16
	vaddps	%zmm0, %zmm15, %zmm15
	vmovups	%zmm24, 128(%rcx)
	vaddps	%zmm0, %zmm14, %zmm14
	vaddps	%zmm0, %zmm13, %zmm13
	vmovups	%zmm23, 192(%rcx)
	vaddps	%zmm0, %zmm12, %zmm12
	vaddps	%zmm0, %zmm11, %zmm11
	vmovups	%zmm22, 256(%rcx)
	vaddps	%zmm0, %zmm10, %zmm10
	vaddps	%zmm0, %zmm9, %zmm9
	vmovups	%zmm21, 320(%rcx)
	vaddps	%zmm0, %zmm8, %zmm8
	vaddps	%zmm0, %zmm7, %zmm7
	vmovups	%zmm20, 384(%rcx)
	vaddps	%zmm0, %zmm6, %zmm6
	vaddps	%zmm0, %zmm5, %zmm5
	vmovups	%zmm19, 448(%rcx)
	vmovups	%zmm18, 512(%rcx)
	vaddps	%zmm0, %zmm4, %zmm4
	vmovups	%zmm17, 576(%rcx)
	vmovups	%zmm16, 640(%rcx)
	vmovups	%zmm15, 704(%rcx)
	vmovups	%zmm14, 768(%rcx)
	vmovups	%zmm13, 832(%rcx)
	vmovups	%zmm12, 896(%rcx)
	vmovups	%zmm11, 960(%rcx)
	vmovups	%zmm10, 1024(%rcx)
	vmovups	%zmm9, 1088(%rcx)
	vmovups	%zmm8, 1152(%rcx)
	vmovups	%zmm7, 1216(%rcx)
	vmovups	%zmm6, 1280(%rcx)
	vmovups	%zmm5, 1344(%rcx)
	vmovups	%zmm4, 1408(%rcx)
	jmp	.L3556
.L3762:
	vxorps	%xmm14, %xmm14, %xmm14
	movq	%r13, %rax
	vmovaps	%zmm14, %zmm9
	vmovaps	%zmm14, %zmm10
	vmovaps	%zmm14, %zmm11
	vmovaps	%zmm14, %zmm12
	vmovaps	%zmm14, %zmm13
	vmovaps	%zmm14, %zmm3
	vmovaps	%zmm14, %zmm4
	vmovaps	%zmm14, %zmm5
	vmovaps	%zmm14, %zmm6
	vmovaps	%zmm14, %zmm7
	vmovaps	%zmm14, %zmm8
.L3578:
	vpbroadcastd	(%rdx), %zmm15
	subq	$-128, %rax
	prefetcht1	(%r8)
	addq	$24, %rdx
	vmovups	-128(%rax), %zmm2
	vmovups	-64(%rax), %zmm1
	addq	$64, %r8
	vdpbf16ps	%zmm15, %zmm2, %zmm8
	vdpbf16ps	%zmm15, %zmm1, %zmm7
	vpbroadcastd	-20(%rdx), %zmm15
	vdpbf16ps	%zmm15, %zmm2, %zmm6
	vdpbf16ps	%zmm15, %zmm1, %zmm5
	vpbroadcastd	-16(%rdx), %zmm15
	vdpbf16ps	%zmm15, %zmm2, %zmm4
	vdpbf16ps	%zmm15, %zmm1, %zmm3
	vpbroadcastd	-12(%rdx), %zmm15
	vdpbf16ps	%zmm15, %zmm2, %zmm13
	vdpbf16ps	%zmm15, %zmm1, %zmm12
	vpbroadcastd	-8(%rdx), %zmm15
	vdpbf16ps	%zmm15, %zmm2, %zmm11
	vdpbf16ps	%zmm15, %zmm1, %zmm10
	vpbroadcastd	-4(%rdx), %zmm15
	vdpbf16ps	%zmm15, %zmm2, %zmm9
	vdpbf16ps	%zmm15, %zmm1, %zmm14
	cmpq	%rax, %rsi
	jne	.L3578
	testq	%r12, %r12
	je	.L3579
	vaddps	192(%rcx), %zmm5, %zmm5
	vaddps	(%rcx), %zmm8, %zmm8
	vaddps	256(%rcx), %zmm4, %zmm4
	vaddps	64(%rcx), %zmm7, %zmm7
	vaddps	320(%rcx), %zmm3, %zmm3
	vaddps	640(%rcx), %zmm9, %zmm1
	vaddps	128(%rcx), %zmm6, %zmm6
	vmovups	%zmm8, (%rcx)
	vaddps	576(%rcx), %zmm10, %zmm2
	vmovups	%zmm5, 192(%rcx)
	vaddps	384(%rcx), %zmm13, %zmm5
	vmovups	%zmm4, 256(%rcx)
	vaddps	448(%rcx), %zmm12, %zmm4
	vmovups	%zmm3, 320(%rcx)
	vaddps	512(%rcx), %zmm11, %zmm3
	vmovups	%zmm1, 640(%rcx)
	vmovups	704(%rcx), %zmm1
	vmovups	%zmm7, 64(%rcx)
	vmovups	%zmm6, 128(%rcx)
	vmovups	%zmm5, 384(%rcx)
	vmovups	%zmm4, 448(%rcx)
	vmovups	%zmm3, 512(%rcx)
	vmovups	%zmm2, 576(%rcx)
.L3580:
	vaddps	%zmm14, %zmm1, %zmm1
	vmovups	%zmm1, 704(%rcx)
	movl	16(%r14), %edi
	movq	80(%r15), %r9
	jmp	.L3492
.L3579:
	vaddps	%zmm0, %zmm5, %zmm5
	vaddps	%zmm0, %zmm4, %zmm4
	vaddps	%zmm0, %zmm3, %zmm3
	vaddps	%zmm0, %zmm9, %zmm1
	vaddps	%zmm0, %zmm8, %zmm8
	vaddps	%zmm0, %zmm7, %zmm7
	vaddps	%zmm0, %zmm6, %zmm6
	vaddps	%zmm0, %zmm10, %zmm2
	vmovups	%zmm5, 192(%rcx)
	vmovups	%zmm4, 256(%rcx)
	vaddps	%zmm0, %zmm13, %zmm5
	vaddps	%zmm0, %zmm12, %zmm4
	vmovups	%zmm3, 320(%rcx)
	vaddps	%zmm0, %zmm11, %zmm3
	vmovups	%zmm1, 640(%rcx)
	vxorps	%xmm1, %xmm1, %xmm1
	vmovups	%zmm8, (%rcx)
	vmovups	%zmm7, 64(%rcx)
	vmovups	%zmm6, 128(%rcx)
	vmovups	%zmm5, 384(%rcx)
	vmovups	%zmm4, 448(%rcx)
	vmovups	%zmm3, 512(%rcx)
	vmovups	%zmm2, 576(%rcx)
	jmp	.L3580
.L3761:
	vxorps	%xmm16, %xmm16, %xmm16
	movq	%r13, %rax
	vmovaps	%zmm16, %zmm3
	vmovaps	%zmm16, %zmm4
	vmovaps	%zmm16, %zmm5
	vmovaps	%zmm16, %zmm6
	vmovaps	%zmm16, %zmm7
	vmovaps	%zmm16, %zmm8
	vmovaps	%zmm16, %zmm9
	vmovaps	%zmm16, %zmm10
	vmovaps	%zmm16, %zmm11
	vmovaps	%zmm16, %zmm12
	vmovaps	%zmm16, %zmm13
	vmovaps	%zmm16, %zmm14
	vmovaps	%zmm16, %zmm15
.L3574:
	vpbroadcastd	(%rdx), %zmm17
	subq	$-128, %rax
	prefetcht1	(%r8)
	addq	$28, %rdx
	vmovups	-128(%rax), %zmm2
	vmovups	-64(%rax), %zmm1
	addq	$64, %r8
	vdpbf16ps	%zmm17, %zmm2, %zmm15
	vdpbf16ps	%zmm17, %zmm1, %zmm14
	vpbroadcastd	-24(%rdx), %zmm17
	vdpbf16ps	%zmm17, %zmm2, %zmm13
	vdpbf16ps	%zmm17, %zmm1, %zmm12
	vpbroadcastd	-20(%rdx), %zmm17
	vdpbf16ps	%zmm17, %zmm2, %zmm11
	vdpbf16ps	%zmm17, %zmm1, %zmm10
	vpbroadcastd	-16(%rdx), %zmm17
	vdpbf16ps	%zmm17, %zmm2, %zmm9
	vdpbf16ps	%zmm17, %zmm1, %zmm8
	vpbroadcastd	-12(%rdx), %zmm17
	vdpbf16ps	%zmm17, %zmm2, %zmm7
	vdpbf16ps	%zmm17, %zmm1, %zmm6
	vpbroadcastd	-8(%rdx), %zmm17
	vdpbf16ps	%zmm17, %zmm2, %zmm5
	vdpbf16ps	%zmm17, %zmm1, %zmm4
	vpbroadcastd	-4(%rdx), %zmm17
	vdpbf16ps	%zmm17, %zmm2, %zmm3
	vdpbf16ps	%zmm17, %zmm1, %zmm16
	cmpq	%rax, %rsi
	jne	.L3574
	testq	%r12, %r12
	je	.L3575
	vaddps	(%rcx), %zmm15, %zmm15
	vaddps	64(%rcx), %zmm14, %zmm14
	vaddps	128(%rcx), %zmm13, %zmm13
	vaddps	192(%rcx), %zmm12, %zmm12
	vaddps	256(%rcx), %zmm11, %zmm11
	vaddps	320(%rcx), %zmm10, %zmm10
	vaddps	384(%rcx), %zmm9, %zmm9
	vmovups	%zmm15, (%rcx)
	vaddps	448(%rcx), %zmm8, %zmm8
	vaddps	512(%rcx), %zmm7, %zmm7
	vaddps	576(%rcx), %zmm6, %zmm6
	vmovups	%zmm14, 64(%rcx)
	vaddps	640(%rcx), %zmm5, %zmm5
	vaddps	704(%rcx), %zmm4, %zmm4
	vmovups	%zmm13, 128(%rcx)
	vaddps	768(%rcx), %zmm3, %zmm3
	vmovups	832(%rcx), %zmm1
	vmovups	%zmm12, 192(%rcx)
	vmovups	%zmm11, 256(%rcx)
	vmovups	%zmm10, 320(%rcx)
	vmovups	%zmm9, 384(%rcx)
	vmovups	%zmm8, 448(%rcx)
	vmovups	%zmm7, 512(%rcx)
	vmovups	%zmm6, 576(%rcx)
	vmovups	%zmm5, 640(%rcx)
	vmovups	%zmm4, 704(%rcx)
	vmovups	%zmm3, 768(%rcx)
.L3576:
	vaddps	%zmm16, %zmm1, %zmm1
	vmovups	%zmm1, 832(%rcx)
	movl	16(%r14), %edi
	movq	80(%r15), %r9
	jmp	.L3492
.L3575:
	vaddps	%zmm0, %zmm15, %zmm15
	vaddps	%zmm0, %zmm14, %zmm14
	vxorps	%xmm1, %xmm1, %xmm1
	vaddps	%zmm0, %zmm13, %zmm13
	vaddps	%zmm0, %zmm12, %zmm12
	vaddps	%zmm0, %zmm11, %zmm11
	vaddps	%zmm0, %zmm10, %zmm10
	vaddps	%zmm0, %zmm9, %zmm9
	vaddps	%zmm0, %zmm8, %zmm8
	vmovups	%zmm15, (%rcx)
	vaddps	%zmm0, %zmm7, %zmm7
	vaddps	%zmm0, %zmm6, %zmm6
	vmovups	%zmm14, 64(%rcx)
	vaddps	%zmm0, %zmm5, %zmm5
	vaddps	%zmm0, %zmm4, %zmm4
	vmovups	%zmm13, 128(%rcx)
	vmovups	%zmm12, 192(%rcx)
	vaddps	%zmm0, %zmm3, %zmm3
	vmovups	%zmm11, 256(%rcx)
	vmovups	%zmm10, 320(%rcx)
	vmovups	%zmm9, 384(%rcx)
	vmovups	%zmm8, 448(%rcx)
	vmovups	%zmm7, 512(%rcx)
	vmovups	%zmm6, 576(%rcx)
	vmovups	%zmm5, 640(%rcx)
	vmovups	%zmm4, 704(%rcx)
	vmovups	%zmm3, 768(%rcx)
	jmp	.L3576
.L3760:
	vxorps	%xmm18, %xmm18, %xmm18
	movq	%r13, %rax
	vmovaps	%zmm18, %zmm3
	vmovaps	%zmm18, %zmm4
	vmovaps	%zmm18, %zmm5
	vmovaps	%zmm18, %zmm6
	vmovaps	%zmm18, %zmm7
	vmovaps	%zmm18, %zmm8
	vmovaps	%zmm18, %zmm9
	vmovaps	%zmm18, %zmm10
	vmovaps	%zmm18, %zmm11
	vmovaps	%zmm18, %zmm12
	vmovaps	%zmm18, %zmm13
	vmovaps	%zmm18, %zmm14
	vmovaps	%zmm18, %zmm15
	vmovaps	%zmm18, %zmm16
	vmovaps	%zmm18, %zmm17
.L3570:
	vpbroadcastd	(%rdx), %zmm19
	subq	$-128, %rax
	prefetcht1	(%r8)
	addq	$32, %rdx
	vmovups	-128(%rax), %zmm2
	vmovups	-64(%rax), %zmm1
	addq	$64, %r8
	vdpbf16ps	%zmm19, %zmm2, %zmm17
	vdpbf16ps	%zmm19, %zmm1, %zmm16
	vpbroadcastd	-28(%rdx), %zmm19
	vdpbf16ps	%zmm19, %zmm2, %zmm15
	vdpbf16ps	%zmm19, %zmm1, %zmm14
	vpbroadcastd	-24(%rdx), %zmm19
	vdpbf16ps	%zmm19, %zmm2, %zmm13
	vdpbf16ps	%zmm19, %zmm1, %zmm12
	vpbroadcastd	-20(%rdx), %zmm19
	vdpbf16ps	%zmm19, %zmm2, %zmm11
	vdpbf16ps	%zmm19, %zmm1, %zmm10
	vpbroadcastd	-16(%rdx), %zmm19
	vdpbf16ps	%zmm19, %zmm2, %zmm9
	vdpbf16ps	%zmm19, %zmm1, %zmm8
	vpbroadcastd	-12(%rdx), %zmm19
	vdpbf16ps	%zmm19, %zmm2, %zmm7
	vdpbf16ps	%zmm19, %zmm1, %zmm6
	vpbroadcastd	-8(%rdx), %zmm19
	vdpbf16ps	%zmm19, %zmm2, %zmm5
	vdpbf16ps	%zmm19, %zmm1, %zmm4
	vpbroadcastd	-4(%rdx), %zmm19
	vdpbf16ps	%zmm19, %zmm2, %zmm3
	vdpbf16ps	%zmm19, %zmm1, %zmm18
	cmpq	%rax, %rsi
	jne	.L3570
	testq	%r12, %r12
	je	.L3571
	vaddps	(%rcx), %zmm17, %zmm17
	vaddps	64(%rcx), %zmm16, %zmm16
	vaddps	128(%rcx), %zmm15, %zmm15
	vaddps	192(%rcx), %zmm14, %zmm14
	vaddps	256(%rcx), %zmm13, %zmm13
	vaddps	320(%rcx), %zmm12, %zmm12
	vaddps	384(%rcx), %zmm11, %zmm11
	vmovups	%zmm17, (%rcx)
	vaddps	448(%rcx), %zmm10, %zmm10
	vaddps	512(%rcx), %zmm9, %zmm9
	vaddps	576(%rcx), %zmm8, %zmm8
	vmovups	%zmm16, 64(%rcx)
	vaddps	640(%rcx), %zmm7, %zmm7
	vaddps	704(%rcx), %zmm6, %zmm6
	vmovups	%zmm15, 128(%rcx)
	vaddps	768(%rcx), %zmm5, %zmm5
	vaddps	832(%rcx), %zmm4, %zmm4
	vmovups	%zmm14, 192(%rcx)
	vaddps	896(%rcx), %zmm3, %zmm3
	vmovups	960(%rcx), %zmm1
	vmovups	%zmm13, 256(%rcx)
	vmovups	%zmm12, 320(%rcx)
	vmovups	%zmm11, 384(%rcx)
	vmovups	%zmm10, 448(%rcx)
	vmovups	%zmm9, 512(%rcx)
	vmovups	%zmm8, 576(%rcx)
	vmovups	%zmm7, 640(%rcx)
	vmovups	%zmm6, 704(%rcx)
	vmovups	%zmm5, 768(%rcx)
	vmovups	%zmm4, 832(%rcx)
	vmovups	%zmm3, 896(%rcx)
.L3572:
	vaddps	%zmm18, %zmm1, %zmm1
	vmovups	%zmm1, 960(%rcx)
	movl	16(%r14), %edi
	movq	80(%r15), %r9
	jmp	.L3492
.L3571:
	vaddps	%zmm0, %zmm17, %zmm17
	vaddps	%zmm0, %zmm16, %zmm16
	vxorps	%xmm1, %xmm1, %xmm1
	vaddps	%zmm0, %zmm15, %zmm15
	vaddps	%zmm0, %zmm14, %zmm14
	vaddps	%zmm0, %zmm13, %zmm13
	vaddps	%zmm0, %zmm12, %zmm12
	vaddps	%zmm0, %zmm11, %zmm11
	vaddps	%zmm0, %zmm10, %zmm10
	vmovups	%zmm17, (%rcx)
	vaddps	%zmm0, %zmm9, %zmm9
	vaddps	%zmm0, %zmm8, %zmm8
	vmovups	%zmm16, 64(%rcx)
	vaddps	%zmm0, %zmm7, %zmm7
	vaddps	%zmm0, %zmm6, %zmm6
	vmovups	%zmm15, 128(%rcx)
	vaddps	%zmm0, %zmm5, %zmm5
	vaddps	%zmm0, %zmm4, %zmm4
	vmovups	%zmm14, 192(%rcx)
	vmovups	%zmm13, 256(%rcx)
	vaddps	%zmm0, %zmm3, %zmm3
	vmovups	%zmm12, 320(%rcx)
	vmovups	%zmm11, 384(%rcx)
	vmovups	%zmm10, 448(%rcx)
	vmovups	%zmm9, 512(%rcx)
	vmovups	%zmm8, 576(%rcx)
	vmovups	%zmm7, 640(%rcx)
	vmovups	%zmm6, 704(%rcx)
	vmovups	%zmm5, 768(%rcx)
	vmovups	%zmm4, 832(%rcx)
	vmovups	%zmm3, 896(%rcx)
	jmp	.L3572
.L3759:
	vxorps	%xmm21, %xmm21, %xmm21
	movq	%r13, %rax
	vmovaps	%zmm21, %zmm3
	vmovaps	%zmm21, %zmm4
	vmovaps	%zmm21, %zmm5
	vmovaps	%zmm21, %zmm6
	vmovaps	%zmm21, %zmm7
	vmovaps	%zmm21, %zmm8
	vmovaps	%zmm21, %zmm9
	vmovaps	%zmm21, %zmm10
	vmovaps	%zmm21, %zmm11
	vmovaps	%zmm21, %zmm12
	vmovaps	%zmm21, %zmm13
	vmovaps	%zmm21, %zmm14
	vmovaps	%zmm21, %zmm15
	vmovaps	%zmm21, %zmm16
	vmovaps	%zmm21, %zmm17
	vmovaps	%zmm21, %zmm18
	vmovaps	%zmm21, %zmm19
.L3566:
	vpbroadcastd	(%rdx), %zmm20
	subq	$-128, %rax
	prefetcht1	(%r8)
	addq	$36, %rdx
	vmovups	-128(%rax), %zmm2
	vmovups	-64(%rax), %zmm1
	addq	$64, %r8
	vdpbf16ps	%zmm20, %zmm2, %zmm19
	vdpbf16ps	%zmm20, %zmm1, %zmm18
	vpbroadcastd	-32(%rdx), %zmm20
	vdpbf16ps	%zmm20, %zmm2, %zmm17
	vdpbf16ps	%zmm20, %zmm1, %zmm16
	vpbroadcastd	-28(%rdx), %zmm20
	vdpbf16ps	%zmm20, %zmm2, %zmm15
	vdpbf16ps	%zmm20, %zmm1, %zmm14
	vpbroadcastd	-24(%rdx), %zmm20
	vdpbf16ps	%zmm20, %zmm2, %zmm13
	vdpbf16ps	%zmm20, %zmm1, %zmm12
	vpbroadcastd	-20(%rdx), %zmm20
	vdpbf16ps	%zmm20, %zmm2, %zmm11
	vdpbf16ps	%zmm20, %zmm1, %zmm10
	vpbroadcastd	-16(%rdx), %zmm20
	vdpbf16ps	%zmm20, %zmm2, %zmm9
	vdpbf16ps	%zmm20, %zmm1, %zmm8
	vpbroadcastd	-12(%rdx), %zmm20
	vdpbf16ps	%zmm20, %zmm2, %zmm7
	vdpbf16ps	%zmm20, %zmm1, %zmm6
	vpbroadcastd	-8(%rdx), %zmm20
	vdpbf16ps	%zmm20, %zmm2, %zmm5
	vdpbf16ps	%zmm20, %zmm1, %zmm4
	vpbroadcastd	-4(%rdx), %zmm20
	vdpbf16ps	%zmm20, %zmm2, %zmm3
	vdpbf16ps	%zmm20, %zmm1, %zmm21
	cmpq	%rax, %rsi
	jne	.L3566
	testq	%r12, %r12
	je	.L3567
	vaddps	(%rcx), %zmm19, %zmm19
	vaddps	64(%rcx), %zmm18, %zmm18
	vaddps	128(%rcx), %zmm17, %zmm17
	vaddps	192(%rcx), %zmm16, %zmm16
	vaddps	256(%rcx), %zmm15, %zmm15
	vaddps	320(%rcx), %zmm14, %zmm14
	vaddps	384(%rcx), %zmm13, %zmm13
	vmovups	%zmm19, (%rcx)
	vaddps	448(%rcx), %zmm12, %zmm12
	vaddps	512(%rcx), %zmm11, %zmm11
	vaddps	576(%rcx), %zmm10, %zmm10
	vmovups	%zmm18, 64(%rcx)
	vaddps	640(%rcx), %zmm9, %zmm9
	vaddps	704(%rcx), %zmm8, %zmm8
	vmovups	%zmm17, 128(%rcx)
	vaddps	768(%rcx), %zmm7, %zmm7
	vaddps	832(%rcx), %zmm6, %zmm6
	vmovups	%zmm16, 192(%rcx)
	vaddps	896(%rcx), %zmm5, %zmm5
	vaddps	960(%rcx), %zmm4, %zmm4
	vmovups	%zmm15, 256(%rcx)
	vmovups	%zmm14, 320(%rcx)
	vmovups	%zmm13, 384(%rcx)
	vmovups	%zmm12, 448(%rcx)
	vmovups	%zmm11, 512(%rcx)
	vmovups	%zmm10, 576(%rcx)
	vmovups	%zmm9, 640(%rcx)
	vmovups	%zmm8, 704(%rcx)
	vmovups	%zmm7, 768(%rcx)
	vmovups	%zmm6, 832(%rcx)
	vmovups	%zmm5, 896(%rcx)
	vmovups	%zmm4, 960(%rcx)
	vaddps	1024(%rcx), %zmm3, %zmm3
	vmovups	1088(%rcx), %zmm1
	vmovups	%zmm3, 1024(%rcx)
.L3568:
	vaddps	%zmm21, %zmm1, %zmm1
	vmovups	%zmm1, 1088(%rcx)
	movl	16(%r14), %edi
	movq	80(%r15), %r9
	jmp	.L3492
.L3567:
	vaddps	%zmm0, %zmm19, %zmm19
	vaddps	%zmm0, %zmm18, %zmm18
	vxorps	%xmm1, %xmm1, %xmm1
	vaddps	%zmm0, %zmm17, %zmm17
	vaddps	%zmm0, %zmm16, %zmm16
	vaddps	%zmm0, %zmm15, %zmm15
	vaddps	%zmm0, %zmm14, %zmm14
	vaddps	%zmm0, %zmm13, %zmm13
	vaddps	%zmm0, %zmm12, %zmm12
	vmovups	%zmm19, (%rcx)
	vaddps	%zmm0, %zmm11, %zmm11
	vaddps	%zmm0, %zmm10, %zmm10
	vmovups	%zmm18, 64(%rcx)
	vaddps	%zmm0, %zmm9, %zmm9
	vaddps	%zmm0, %zmm8, %zmm8
	vmovups	%zmm17, 128(%rcx)
	vaddps	%zmm0, %zmm7, %zmm7
	vaddps	%zmm0, %zmm6, %zmm6
	vmovups	%zmm16, 192(%rcx)
	vaddps	%zmm0, %zmm5, %zmm5
	vaddps	%zmm0, %zmm4, %zmm4
	vmovups	%zmm15, 256(%rcx)
	vmovups	%zmm14, 320(%rcx)
	vaddps	%zmm0, %zmm3, %zmm3
	vmovups	%zmm13, 384(%rcx)
	vmovups	%zmm12, 448(%rcx)
	vmovups	%zmm11, 512(%rcx)
	vmovups	%zmm10, 576(%rcx)
	vmovups	%zmm9, 640(%rcx)
	vmovups	%zmm8, 704(%rcx)
	vmovups	%zmm7, 768(%rcx)
	vmovups	%zmm6, 832(%rcx)
	vmovups	%zmm5, 896(%rcx)
	vmovups	%zmm4, 960(%rcx)
	vmovups	%zmm3, 1024(%rcx)
	jmp	.L3568
.L3758:
	vxorps	%xmm23, %xmm23, %xmm23
	movq	%r13, %rax
	vmovaps	%zmm23, %zmm4
	vmovaps	%zmm23, %zmm5
	vmovaps	%zmm23, %zmm6
	vmovaps	%zmm23, %zmm7
	vmovaps	%zmm23, %zmm8
	vmovaps	%zmm23, %zmm9
	vmovaps	%zmm23, %zmm10
	vmovaps	%zmm23, %zmm11
	vmovaps	%zmm23, %zmm12
	vmovaps	%zmm23, %zmm13
	vmovaps	%zmm23, %zmm14
	vmovaps	%zmm23, %zmm15
	vmovaps	%zmm23, %zmm16
	vmovaps	%zmm23, %zmm17
	vmovaps	%zmm23, %zmm18
	vmovaps	%zmm23, %zmm19
	vmovaps	%zmm23, %zmm20
	vmovaps	%zmm23, %zmm21
	vmovaps	%zmm23, %zmm22
.L3562:
	vpbroadcastd	(%rdx), %zmm3
	subq	$-128, %rax
	prefetcht1	(%r8)
	addq	$40, %rdx
	vmovups	-128(%rax), %zmm2
	vmovups	-64(%rax), %zmm1
	addq	$64, %r8
	vdpbf16ps	%zmm3, %zmm2, %zmm22
	vdpbf16ps	%zmm3, %zmm1, %zmm21
	vpbroadcastd	-36(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm20
	vdpbf16ps	%zmm3, %zmm1, %zmm19
	vpbroadcastd	-32(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm18
	vdpbf16ps	%zmm3, %zmm1, %zmm17
	vpbroadcastd	-28(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm16
	vdpbf16ps	%zmm3, %zmm1, %zmm15
	vpbroadcastd	-24(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm14
	vdpbf16ps	%zmm3, %zmm1, %zmm13
	vpbroadcastd	-20(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm12
	vdpbf16ps	%zmm3, %zmm1, %zmm11
	vpbroadcastd	-16(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm10
	vdpbf16ps	%zmm3, %zmm1, %zmm9
	vpbroadcastd	-12(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm8
	vdpbf16ps	%zmm3, %zmm1, %zmm7
	vpbroadcastd	-8(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm6
	vdpbf16ps	%zmm3, %zmm1, %zmm5
	vpbroadcastd	-4(%rdx), %zmm3
	vdpbf16ps	%zmm3, %zmm2, %zmm4
	vdpbf16ps	%zmm3, %zmm1, %zmm23
	cmpq	%rax, %rsi
	jne	.L3562
	testq	%r12, %r12
	je	.L3563
	vaddps	(%rcx), %zmm22, %zmm22
	vaddps	64(%rcx), %zmm21, %zmm21
	vaddps	128(%rcx), %zmm20, %zmm20
	vaddps	192(%rcx), %zmm19, %zmm19
	vaddps	256(%rcx), %zmm18, %zmm18
	vaddps	320(%rcx), %zmm17, %zmm17
	vaddps	384(%rcx), %zmm16, %zmm16
	vmovups	%zmm22, (%rcx)
	vaddps	448(%rcx), %zmm15, %zmm15
	vaddps	512(%rcx), %zmm14, %zmm14
	vaddps	576(%rcx), %zmm13, %zmm13
	vmovups	%zmm21, 64(%rcx)
	vaddps	640(%rcx), %zmm12, %zmm12
	vaddps	704(%rcx), %zmm11, %zmm11
	vmovups	%zmm20, 128(%rcx)
	vaddps	768(%rcx), %zmm10, %zmm10
	vaddps	832(%rcx), %zmm9, %zmm9
	vmovups	%zmm19, 192(%rcx)
	vaddps	896(%rcx), %zmm8, %zmm8
	vaddps	960(%rcx), %zmm7, %zmm7
	vmovups	%zmm18, 256(%rcx)
	vmovups	%zmm17, 320(%rcx)
	vmovups	%zmm16, 384(%rcx)
	vmovups	%zmm15, 448(%rcx)
	vmovups	%zmm14, 512(%rcx)
	vmovups	%zmm13, 576(%rcx)
	vmovups	%zmm12, 640(%rcx)
	vmovups	%zmm11, 704(%rcx)
	vmovups	%zmm10, 768(%rcx)
	vmovups	%zmm9, 832(%rcx)
	vmovups	%zmm8, 896(%rcx)
	vmovups	%zmm7, 960(%rcx)
	vaddps	1024(%rcx), %zmm6, %zmm6
	vaddps	1088(%rcx), %zmm5, %zmm5
	vaddps	1152(%rcx), %zmm4, %zmm4
	vmovups	1216(%rcx), %zmm1
	vmovups	%zmm6, 1024(%rcx)
	vmovups	%zmm5, 1088(%rcx)
	vmovups	%zmm4, 1152(%rcx)
.L3564:
	vaddps	%zmm23, %zmm1, %zmm1
	vmovups	%zmm1, 1216(%rcx)
	movl	16(%r14), %edi
	movq	80(%r15), %r9
	jmp	.L3492
.L3563:
	vaddps	%zmm0, %zmm22, %zmm22
	vaddps	%zmm0, %zmm21, %zmm21
	vxorps	%xmm1, %xmm1, %xmm1
	vaddps	%zmm0, %zmm20, %zmm20
	vaddps	%zmm0, %zmm19, %zmm19
	vaddps	%zmm0, %zmm18, %zmm18
	vaddps	%zmm0, %zmm17, %zmm17
	vaddps	%zmm0, %zmm16, %zmm16
	vaddps	%zmm0, %zmm15, %zmm15
	vmovups	%zmm22, (%rcx)
	vaddps	%zmm0, %zmm14, %zmm14
	vaddps	%zmm0, %zmm13, %zmm13
	vmovups	%zmm21, 64(%rcx)
	vaddps	%zmm0, %zmm12, %zmm12
	vaddps	%zmm0, %zmm11, %zmm11
	vmovups	%zmm20, 128(%rcx)
	vaddps	%zmm0, %zmm10, %zmm10
	vaddps	%zmm0, %zmm9, %zmm9
	vmovups	%zmm19, 192(%rcx)
	vaddps	%zmm0, %zmm8, %zmm8
	vaddps	%zmm0, %zmm7, %zmm7
	vmovups	%zmm18, 256(%rcx)
	vaddps	%zmm0, %zmm6, %zmm6
	vaddps	%zmm0, %zmm5, %zmm5
	vmovups	%zmm17, 320(%rcx)
	vmovups	%zmm16, 384(%rcx)
	vaddps	%zmm0, %zmm4, %zmm4
	vmovups	%zmm15, 448(%rcx)
	vmovups	%zmm14, 512(%rcx)
	vmovups	%zmm13, 576(%rcx)
	vmovups	%zmm12, 640(%rcx)
	vmovups	%zmm11, 704(%rcx)
	vmovups	%zmm10, 768(%rcx)
	vmovups	%zmm9, 832(%rcx)
	vmovups	%zmm8, 896(%rcx)
	vmovups	%zmm7, 960(%rcx)
	vmovups	%zmm6, 1024(%rcx)
	vmovups	%zmm5, 1088(%rcx)
	vmovups	%zmm4, 1152(%rcx)
	jmp	.L3564
.L3770:
	leaq	(%r10,%r10,2), %rcx
	vxorps	%xmm26, %xmm26, %xmm26
	movq	152(%rsp), %rax
	salq	$4, %rcx
	vmovaps	%zmm26, %zmm24
	vmovaps	%zmm26, %zmm25
	addq	%rdx, %rcx
	vmovaps	%zmm26, %zmm3
	vmovaps	%zmm26, %zmm4
	vmovaps	%zmm26, %zmm5
	vmovaps	%zmm26, %zmm6
	vmovaps	%zmm26, %zmm7
	vmovaps	%zmm26, %zmm8
	vmovaps	%zmm26, %zmm9
	vmovaps	%zmm26, %zmm10
	vmovaps	%zmm26, %zmm11
	vmovaps	%zmm26, %zmm12
	vmovaps	%zmm26, %zmm13
	vmovaps	%zmm26, %zmm14
	vmovaps	%zmm26, %zmm15
	vmovaps	%zmm26, %zmm16
	vmovaps	%zmm26, %zmm17
	vmovaps	%zmm26, %zmm18
	vmovaps	%zmm26, %zmm19
	vmovaps	%zmm26, %zmm20
	vmovaps	%zmm26, %zmm21
	vmovaps	%zmm26, %zmm22
	vmovaps	%zmm26, %zmm23
.L3498:
	vpbroadcastd	(%rdx), %zmm27
	addq	$48, %rdx
	prefetcht0	(%rax)
	prefetcht0	64(%rax)
	vmovups	-4096(%rax), %zmm2
	subq	$-128, %rax
	vmovups	-4160(%rax), %zmm1
	vdpbf16ps	%zmm27, %zmm2, %zmm23
	vdpbf16ps	%zmm27, %zmm1, %zmm22
	vpbroadcastd	-44(%rdx), %zmm27
	vdpbf16ps	%zmm27, %zmm2, %zmm21
	vdpbf16ps	%zmm27, %zmm1, %zmm20
	vpbroadcastd	-40(%rdx), %zmm27
	vdpbf16ps	%zmm27, %zmm2, %zmm19
	vdpbf16ps	%zmm27, %zmm1, %zmm18
	vpbroadcastd	-36(%rdx), %zmm27
	vdpbf16ps	%zmm27, %zmm2, %zmm17
	vdpbf16ps	%zmm27, %zmm1, %zmm16
	vpbroadcastd	-32(%rdx), %zmm27
	vdpbf16ps	%zmm27, %zmm2, %zmm15
	vdpbf16ps	%zmm27, %zmm1, %zmm14
	vpbroadcastd	-28(%rdx), %zmm27
	vdpbf16ps	%zmm27, %zmm2, %zmm13
	vdpbf16ps	%zmm27, %zmm1, %zmm12
	vpbroadcastd	-24(%rdx), %zmm27
	vdpbf16ps	%zmm27, %zmm2, %zmm11
	vdpbf16ps	%zmm27, %zmm1, %zmm10
	vpbroadcastd	-20(%rdx), %zmm27
	vdpbf16ps	%zmm27, %zmm2, %zmm9
	vdpbf16ps	%zmm27, %zmm1, %zmm8
	vpbroadcastd	-16(%rdx), %zmm27
	vdpbf16ps	%zmm27, %zmm2, %zmm7
	vdpbf16ps	%zmm27, %zmm1, %zmm6
	vpbroadcastd	-12(%rdx), %zmm27
	vdpbf16ps	%zmm27, %zmm2, %zmm5
	vdpbf16ps	%zmm27, %zmm1, %zmm4
	vpbroadcastd	-8(%rdx), %zmm27
	vdpbf16ps	%zmm27, %zmm2, %zmm3
	vdpbf16ps	%zmm27, %zmm1, %zmm25
	vpbroadcastd	-4(%rdx), %zmm27
	vdpbf16ps	%zmm27, %zmm2, %zmm24
	vdpbf16ps	%zmm27, %zmm1, %zmm26
	cmpq	%rdx, %rcx
	jne	.L3498
	testq	%r12, %r12
	je	.L3499
	vaddps	(%rbx), %zmm23, %zmm23
	vaddps	64(%rbx), %zmm22, %zmm22
	vaddps	128(%rbx), %zmm21, %zmm21
	vaddps	192(%rbx), %zmm20, %zmm20
	vaddps	256(%rbx), %zmm19, %zmm19
	vaddps	320(%rbx), %zmm18, %zmm18
	vaddps	384(%rbx), %zmm17, %zmm17
	vmovups	%zmm23, (%rbx)
	vaddps	448(%rbx), %zmm16, %zmm16
	vaddps	512(%rbx), %zmm15, %zmm15
	vaddps	576(%rbx), %zmm14, %zmm14
	vmovups	%zmm22, 64(%rbx)
	vaddps	640(%rbx), %zmm13, %zmm13
	vaddps	704(%rbx), %zmm12, %zmm12
	vmovups	%zmm21, 128(%rbx)
	vaddps	768(%rbx), %zmm11, %zmm11
	vaddps	832(%rbx), %zmm10, %zmm10
	vmovups	%zmm20, 192(%rbx)
	vaddps	896(%rbx), %zmm9, %zmm9
	vaddps	960(%rbx), %zmm8, %zmm8
	vmovups	%zmm19, 256(%rbx)
	vmovups	%zmm18, 320(%rbx)
	vmovups	%zmm17, 384(%rbx)
	vmovups	%zmm16, 448(%rbx)
	vmovups	%zmm15, 512(%rbx)
	vmovups	%zmm14, 576(%rbx)
	vmovups	%zmm13, 640(%rbx)
	vmovups	%zmm12, 704(%rbx)
	vmovups	%zmm11, 768(%rbx)
	vmovups	%zmm10, 832(%rbx)
	vmovups	%zmm9, 896(%rbx)
	vmovups	%zmm8, 960(%rbx)
	vaddps	1024(%rbx), %zmm7, %zmm7
	vaddps	1408(%rbx), %zmm24, %zmm1
	vaddps	1088(%rbx), %zmm6, %zmm6
	vaddps	1152(%rbx), %zmm5, %zmm5
	vaddps	1216(%rbx), %zmm4, %zmm4
	vaddps	1280(%rbx), %zmm3, %zmm3
	vaddps	1344(%rbx), %zmm25, %zmm2
	vmovups	%zmm1, 1408(%rbx)
	vmovups	1472(%rbx), %zmm1
	vmovups	%zmm7, 1024(%rbx)
	vmovups	%zmm6, 1088(%rbx)
	vmovups	%zmm5, 1152(%rbx)
	vmovups	%zmm4, 1216(%rbx)
	vmovups	%zmm3, 1280(%rbx)
	vmovups	%zmm2, 1344(%rbx)
.L3500:
	vaddps	%zmm26, %zmm1, %zmm1
	vmovups	%zmm1, 1472(%rbx)
	movl	16(%r14), %edi
	movq	80(%r15), %r9
	jmp	.L3492
.L3499:
	vaddps	%zmm0, %zmm24, %zmm1
	vaddps	%zmm0, %zmm23, %zmm23
	vaddps	%zmm0, %zmm22, %zmm22
	vaddps	%zmm0, %zmm21, %zmm21
	vaddps	%zmm0, %zmm20, %zmm20
	vaddps	%zmm0, %zmm19, %zmm19
	vaddps	%zmm0, %zmm18, %zmm18
	vaddps	%zmm0, %zmm17, %zmm17
	vmovups	%zmm1, 1408(%rbx)
	vxorps	%xmm1, %xmm1, %xmm1
	vaddps	%zmm0, %zmm16, %zmm16
	vaddps	%zmm0, %zmm15, %zmm15
	vmovups	%zmm23, (%rbx)
	vaddps	%zmm0, %zmm14, %zmm14
	vaddps	%zmm0, %zmm13, %zmm13
	vmovups	%zmm22, 64(%rbx)
	vaddps	%zmm0, %zmm12, %zmm12
	vaddps	%zmm0, %zmm11, %zmm11
	vmovups	%zmm21, 128(%rbx)
	vaddps	%zmm0, %zmm10, %zmm10
	vaddps	%zmm0, %zmm9, %zmm9
	vmovups	%zmm20, 192(%rbx)
	vaddps	%zmm0, %zmm8, %zmm8
	vaddps	%zmm0, %zmm7, %zmm7
	vmovups	%zmm19, 256(%rbx)
	vaddps	%zmm0, %zmm6, %zmm6
	vaddps	%zmm0, %zmm5, %zmm5
	vmovups	%zmm18, 320(%rbx)
	vaddps	%zmm0, %zmm4, %zmm4
	vaddps	%zmm0, %zmm3, %zmm3
	vmovups	%zmm17, 384(%rbx)
	vmovups	%zmm16, 448(%rbx)
	vaddps	%zmm0, %zmm25, %zmm2
	vmovups	%zmm15, 512(%rbx)
	vmovups	%zmm14, 576(%rbx)
	vmovups	%zmm13, 640(%rbx)
	vmovups	%zmm12, 704(%rbx)
	vmovups	%zmm11, 768(%rbx)
	vmovups	%zmm10, 832(%rbx)
	vmovups	%zmm9, 896(%rbx)
	vmovups	%zmm8, 960(%rbx)
	vmovups	%zmm7, 1024(%rbx)
	vmovups	%zmm6, 1088(%rbx)
	vmovups	%zmm5, 1152(%rbx)
	vmovups	%zmm4, 1216(%rbx)
	vmovups	%zmm3, 1280(%rbx)
	vmovups	%zmm2, 1344(%rbx)
	jmp	.L3500
.L3769:
	leaq	(%r10,%r10,2), %rcx
	vxorps	%xmm28, %xmm28, %xmm28
	movq	152(%rsp), %rax
	leaq	(%r10,%rcx,4), %rcx
	vmovaps	%zmm28, %zmm7
	vmovaps	%zmm28, %zmm8
	leaq	(%rdx,%rcx,4), %rcx
	vmovaps	%zmm28, %zmm9
	vmovaps	%zmm28, %zmm10
	vmovaps	%zmm28, %zmm11
	vmovaps	%zmm28, %zmm12
	vmovaps	%zmm28, %zmm13
	vmovaps	%zmm28, %zmm14
	vmovaps	%zmm28, %zmm15
	vmovaps	%zmm28, %zmm16
	vmovaps	%zmm28, %zmm17
	vmovaps	%zmm28, %zmm18
	vmovaps	%zmm28, %zmm19
	vmovaps	%zmm28, %zmm20
	vmovaps	%zmm28, %zmm21
	vmovaps	%zmm28, %zmm22
	vmovaps	%zmm28, %zmm23
	vmovaps	%zmm28, %zmm24
	vmovaps	%zmm28, %zmm25
	vmovaps	%zmm28, %zmm26
	vmovaps	%zmm28, %zmm27
	vmovaps	%zmm28, %zmm3
	vmovaps	%zmm28, %zmm4
	vmovaps	%zmm28, %zmm5
	vmovaps	%zmm28, %zmm6
.L3494:
	vpbroadcastd	(%rdx), %zmm29
	addq	$52, %rdx
	prefetcht0	(%rax)
	prefetcht0	64(%rax)
	vmovups	-4096(%rax), %zmm2
	subq	$-128, %rax
	vmovups	-4160(%rax), %zmm1
	vdpbf16ps	%zmm29, %zmm2, %zmm6
	vdpbf16ps	%zmm29, %zmm1, %zmm5
	vpbroadcastd	-48(%rdx), %zmm29
	vdpbf16ps	%zmm29, %zmm2, %zmm4
	vdpbf16ps	%zmm29, %zmm1, %zmm3
	vpbroadcastd	-44(%rdx), %zmm29
	vdpbf16ps	%zmm29, %zmm2, %zmm27
	vdpbf16ps	%zmm29, %zmm1, %zmm26
	vpbroadcastd	-40(%rdx), %zmm29
	vdpbf16ps	%zmm29, %zmm2, %zmm25
	vdpbf16ps	%zmm29, %zmm1, %zmm24
	vpbroadcastd	-36(%rdx), %zmm29
	vdpbf16ps	%zmm29, %zmm2, %zmm23
	vdpbf16ps	%zmm29, %zmm1, %zmm22
	vpbroadcastd	-32(%rdx), %zmm29
	vdpbf16ps	%zmm29, %zmm2, %zmm21
	vdpbf16ps	%zmm29, %zmm1, %zmm20
	vpbroadcastd	-28(%rdx), %zmm29
	vdpbf16ps	%zmm29, %zmm2, %zmm19
	vdpbf16ps	%zmm29, %zmm1, %zmm18
	vpbroadcastd	-24(%rdx), %zmm29
	vdpbf16ps	%zmm29, %zmm2, %zmm17
	vdpbf16ps	%zmm29, %zmm1, %zmm16
	vpbroadcastd	-20(%rdx), %zmm29
	vdpbf16ps	%zmm29, %zmm2, %zmm15
	vdpbf16ps	%zmm29, %zmm1, %zmm14
	vpbroadcastd	-16(%rdx), %zmm29
	vdpbf16ps	%zmm29, %zmm2, %zmm13
	vdpbf16ps	%zmm29, %zmm1, %zmm12
	vpbroadcastd	-12(%rdx), %zmm29
	vdpbf16ps	%zmm29, %zmm2, %zmm11
	vdpbf16ps	%zmm29, %zmm1, %zmm10
	vpbroadcastd	-8(%rdx), %zmm29
	vdpbf16ps	%zmm29, %zmm2, %zmm9
	vdpbf16ps	%zmm29, %zmm1, %zmm8
	vpbroadcastd	-4(%rdx), %zmm29
	vdpbf16ps	%zmm29, %zmm2, %zmm7
	vdpbf16ps	%zmm29, %zmm1, %zmm28
	cmpq	%rcx, %rdx
	jne	.L3494
	testq	%r12, %r12
	je	.L3495
	vaddps	(%rbx), %zmm6, %zmm6
	vaddps	64(%rbx), %zmm5, %zmm5
	vaddps	128(%rbx), %zmm4, %zmm4
	vaddps	192(%rbx), %zmm3, %zmm3
	vaddps	256(%rbx), %zmm27, %zmm27
	vaddps	320(%rbx), %zmm26, %zmm26
	vaddps	384(%rbx), %zmm25, %zmm25
	vmovups	%zmm6, (%rbx)
	vaddps	448(%rbx), %zmm24, %zmm24
	vaddps	512(%rbx), %zmm23, %zmm23
	vaddps	576(%rbx), %zmm22, %zmm22
	vmovups	%zmm5, 64(%rbx)
	vaddps	640(%rbx), %zmm21, %zmm21
	vaddps	704(%rbx), %zmm20, %zmm20
	vmovups	%zmm4, 128(%rbx)
	vaddps	768(%rbx), %zmm19, %zmm19
	vaddps	832(%rbx), %zmm18, %zmm18
	vmovups	%zmm3, 192(%rbx)
	vaddps	896(%rbx), %zmm17, %zmm17
	vaddps	960(%rbx), %zmm16, %zmm16
	vmovups	%zmm27, 256(%rbx)
	vmovups	%zmm26, 320(%rbx)
	vmovups	%zmm25, 384(%rbx)
	vmovups	%zmm24, 448(%rbx)
	vmovups	%zmm23, 512(%rbx)
	vmovups	%zmm22, 576(%rbx)
	vmovups	%zmm21, 640(%rbx)
	vmovups	%zmm20, 704(%rbx)
	vmovups	%zmm19, 768(%rbx)
	vmovups	%zmm18, 832(%rbx)
	vmovups	%zmm17, 896(%rbx)
	vmovups	%zmm16, 960(%rbx)
	vaddps	1024(%rbx), %zmm15, %zmm15
	vaddps	1088(%rbx), %zmm14, %zmm14
	vaddps	1152(%rbx), %zmm13, %zmm13
	vaddps	1216(%rbx), %zmm12, %zmm12
	vaddps	1280(%rbx), %zmm11, %zmm11
	vaddps	1344(%rbx), %zmm10, %zmm10
	vaddps	1408(%rbx), %zmm9, %zmm9
	vaddps	1472(%rbx), %zmm8, %zmm8
	vmovups	%zmm15, 1024(%rbx)
	vaddps	1536(%rbx), %zmm7, %zmm7
	vmovups	1600(%rbx), %zmm1
	vmovups	%zmm14, 1088(%rbx)
	vmovups	%zmm13, 1152(%rbx)
	vmovups	%zmm12, 1216(%rbx)
	vmovups	%zmm11, 1280(%rbx)
	vmovups	%zmm10, 1344(%rbx)
	vmovups	%zmm9, 1408(%rbx)
	vmovups	%zmm8, 1472(%rbx)
	vmovups	%zmm7, 1536(%rbx)
.L3496:
	vaddps	%zmm28, %zmm1, %zmm1
	vmovups	%zmm1, 1600(%rbx)
	movl	16(%r14), %edi
	movq	80(%r15), %r9
	jmp	.L3492
.L3495:
	vaddps	%zmm0, %zmm6, %zmm6
	vaddps	%zmm0, %zmm5, %zmm5
	vxorps	%xmm1, %xmm1, %xmm1
	vaddps	%zmm0, %zmm4, %zmm4
	vaddps	%zmm0, %zmm3, %zmm3
	vaddps	%zmm0, %zmm27, %zmm27
	vaddps	%zmm0, %zmm26, %zmm26
	vaddps	%zmm0, %zmm25, %zmm25
	vaddps	%zmm0, %zmm24, %zmm24
	vmovups	%zmm6, (%rbx)
	vaddps	%zmm0, %zmm23, %zmm23
	vaddps	%zmm0, %zmm22, %zmm22
	vmovups	%zmm5, 64(%rbx)
	vaddps	%zmm0, %zmm21, %zmm21
	vaddps	%zmm0, %zmm20, %zmm20
	vmovups	%zmm4, 128(%rbx)
	vaddps	%zmm0, %zmm19, %zmm19
	vaddps	%zmm0, %zmm18, %zmm18
	vmovups	%zmm3, 192(%rbx)
	vaddps	%zmm0, %zmm17, %zmm17
	vaddps	%zmm0, %zmm16, %zmm16
	vmovups	%zmm27, 256(%rbx)
	vaddps	%zmm0, %zmm15, %zmm15
	vaddps	%zmm0, %zmm14, %zmm14
	vmovups	%zmm26, 320(%rbx)
	vaddps	%zmm0, %zmm13, %zmm13
	vaddps	%zmm0, %zmm12, %zmm12
	vmovups	%zmm25, 384(%rbx)
	vaddps	%zmm0, %zmm11, %zmm11
	vaddps	%zmm0, %zmm10, %zmm10
	vmovups	%zmm24, 448(%rbx)
	vaddps	%zmm0, %zmm9, %zmm9
	vaddps	%zmm0, %zmm8, %zmm8
	vmovups	%zmm23, 512(%rbx)
	vmovups	%zmm22, 576(%rbx)
	vaddps	%zmm0, %zmm7, %zmm7
	vmovups	%zmm21, 640(%rbx)
	vmovups	%zmm20, 704(%rbx)
	vmovups	%zmm19, 768(%rbx)
	vmovups	%zmm18, 832(%rbx)
	vmovups	%zmm17, 896(%rbx)
	vmovups	%zmm16, 960(%rbx)
	vmovups	%zmm15, 1024(%rbx)
	vmovups	%zmm14, 1088(%rbx)
	vmovups	%zmm13, 1152(%rbx)
	vmovups	%zmm12, 1216(%rbx)
	vmovups	%zmm11, 1280(%rbx)
	vmovups	%zmm10, 1344(%rbx)
	vmovups	%zmm9, 1408(%rbx)
	vmovups	%zmm8, 1472(%rbx)
	vmovups	%zmm7, 1536(%rbx)
	jmp	.L3496
.L3768:
	leaq	0(,%r10,8), %rcx
	vxorps	%xmm31, %xmm31, %xmm31
	movq	152(%rsp), %rax
	subq	%r10, %rcx
	vmovaps	%zmm31, %zmm3
	vmovaps	%zmm31, %zmm4
	leaq	(%rdx,%rcx,8), %rcx
	vmovaps	%zmm31, %zmm5
	vmovaps	%zmm31, %zmm6
	vmovaps	%zmm31, %zmm7
	vmovaps	%zmm31, %zmm8
	vmovaps	%zmm31, %zmm9
	vmovaps	%zmm31, %zmm10
	vmovaps	%zmm31, %zmm11
	vmovaps	%zmm31, %zmm12
	vmovaps	%zmm31, %zmm13
	vmovaps	%zmm31, %zmm14
	vmovaps	%zmm31, %zmm15
	vmovaps	%zmm31, %zmm16
	vmovaps	%zmm31, %zmm17
	vmovaps	%zmm31, %zmm18
	vmovaps	%zmm31, %zmm19
	vmovaps	%zmm31, %zmm20
	vmovaps	%zmm31, %zmm21
	vmovaps	%zmm31, %zmm22
	vmovaps	%zmm31, %zmm23
	vmovaps	%zmm31, %zmm24
	vmovaps	%zmm31, %zmm25
	vmovaps	%zmm31, %zmm26
	vmovaps	%zmm31, %zmm27
	vmovaps	%zmm31, %zmm28
	vmovaps	%zmm31, %zmm29
.L3489:
	vpbroadcastd	(%rdx), %zmm30
	addq	$56, %rdx
	prefetcht0	(%rax)
	prefetcht0	64(%rax)
	vmovups	-4096(%rax), %zmm2
	subq	$-128, %rax
	vmovups	-4160(%rax), %zmm1
	vdpbf16ps	%zmm30, %zmm2, %zmm29
	vdpbf16ps	%zmm30, %zmm1, %zmm28
	vpbroadcastd	-52(%rdx), %zmm30
	vdpbf16ps	%zmm30, %zmm2, %zmm27
	vdpbf16ps	%zmm30, %zmm1, %zmm26
	vpbroadcastd	-48(%rdx), %zmm30
	vdpbf16ps	%zmm30, %zmm2, %zmm25
	vdpbf16ps	%zmm30, %zmm1, %zmm24
	vpbroadcastd	-44(%rdx), %zmm30
	vdpbf16ps	%zmm30, %zmm2, %zmm23
	vdpbf16ps	%zmm30, %zmm1, %zmm22
	vpbroadcastd	-40(%rdx), %zmm30
	vdpbf16ps	%zmm30, %zmm2, %zmm21
	vdpbf16ps	%zmm30, %zmm1, %zmm20
	vpbroadcastd	-36(%rdx), %zmm30
	vdpbf16ps	%zmm30, %zmm2, %zmm19
	vdpbf16ps	%zmm30, %zmm1, %zmm18
	vpbroadcastd	-32(%rdx), %zmm30
	vdpbf16ps	%zmm30, %zmm2, %zmm17
	vdpbf16ps	%zmm30, %zmm1, %zmm16
	vpbroadcastd	-28(%rdx), %zmm30
	vdpbf16ps	%zmm30, %zmm2, %zmm15
	vdpbf16ps	%zmm30, %zmm1, %zmm14
	vpbroadcastd	-24(%rdx), %zmm30
	vdpbf16ps	%zmm30, %zmm2, %zmm13
	vdpbf16ps	%zmm30, %zmm1, %zmm12
	vpbroadcastd	-20(%rdx), %zmm30
	vdpbf16ps	%zmm30, %zmm2, %zmm11
	vdpbf16ps	%zmm30, %zmm1, %zmm10
	vpbroadcastd	-16(%rdx), %zmm30
	vdpbf16ps	%zmm30, %zmm2, %zmm9
	vdpbf16ps	%zmm30, %zmm1, %zmm8
	vpbroadcastd	-12(%rdx), %zmm30
	vdpbf16ps	%zmm30, %zmm2, %zmm7
	vdpbf16ps	%zmm30, %zmm1, %zmm6
	vpbroadcastd	-8(%rdx), %zmm30
	vdpbf16ps	%zmm30, %zmm2, %zmm5
	vdpbf16ps	%zmm30, %zmm1, %zmm4
	vpbroadcastd	-4(%rdx), %zmm30
	vdpbf16ps	%zmm30, %zmm2, %zmm3
	vdpbf16ps	%zmm30, %zmm1, %zmm31
	cmpq	%rcx, %rdx
	jne	.L3489
	testq	%r12, %r12
	jne	.L3490
	vaddps	%zmm0, %zmm29, %zmm29
	vaddps	%zmm0, %zmm28, %zmm28
	vxorps	%xmm1, %xmm1, %xmm1
	vaddps	%zmm0, %zmm27, %zmm27
	vaddps	%zmm0, %zmm26, %zmm26
	vaddps	%zmm0, %zmm25, %zmm25
	vaddps	%zmm0, %zmm24, %zmm24
	vaddps	%zmm0, %zmm23, %zmm23
	vaddps	%zmm0, %zmm22, %zmm22
	vmovups	%zmm29, (%rbx)
	vaddps	%zmm0, %zmm21, %zmm21
	vaddps	%zmm0, %zmm20, %zmm20
	vmovups	%zmm28, 64(%rbx)
	vaddps	%zmm0, %zmm19, %zmm19
	vaddps	%zmm0, %zmm18, %zmm18
	vmovups	%zmm27, 128(%rbx)
	vaddps	%zmm0, %zmm17, %zmm17
	vaddps	%zmm0, %zmm16, %zmm16
	vmovups	%zmm26, 192(%rbx)
	vaddps	%zmm0, %zmm15, %zmm15
	vaddps	%zmm0, %zmm14, %zmm14
	vmovups	%zmm25, 256(%rbx)
	vaddps	%zmm0, %zmm13, %zmm13
	vaddps	%zmm0, %zmm12, %zmm12
	vmovups	%zmm24, 320(%rbx)
	vaddps	%zmm0, %zmm11, %zmm11
	vaddps	%zmm0, %zmm10, %zmm10
	vmovups	%zmm23, 384(%rbx)
	vaddps	%zmm0, %zmm9, %zmm9
	vaddps	%zmm0, %zmm8, %zmm8
	vmovups	%zmm22, 448(%rbx)
	vaddps	%zmm0, %zmm7, %zmm7
	vaddps	%zmm0, %zmm6, %zmm6
	vmovups	%zmm21, 512(%rbx)
	vaddps	%zmm0, %zmm5, %zmm5
	vaddps	%zmm0, %zmm4, %zmm4
	vmovups	%zmm20, 576(%rbx)
	vmovups	%zmm19, 640(%rbx)
	vaddps	%zmm0, %zmm3, %zmm3
	vmovups	%zmm18, 704(%rbx)
	vmovups	%zmm17, 768(%rbx)
	vmovups	%zmm16, 832(%rbx)
	vmovups	%zmm15, 896(%rbx)
	vmovups	%zmm14, 960(%rbx)
	vmovups	%zmm13, 1024(%rbx)
	vmovups	%zmm12, 1088(%rbx)
	vmovups	%zmm11, 1152(%rbx)
	vmovups	%zmm10, 1216(%rbx)
	vmovups	%zmm9, 1280(%rbx)
	vmovups	%zmm8, 1344(%rbx)
	vmovups	%zmm7, 1408(%rbx)
	vmovups	%zmm6, 1472(%rbx)
	vmovups	%zmm5, 1536(%rbx)
	vmovups	%zmm4, 1600(%rbx)
	vmovups	%zmm3, 1664(%rbx)
.L3491:
	vaddps	%zmm31, %zmm1, %zmm1
	vmovups	%zmm1, 1728(%rbx)
	movl	16(%r14), %edi
	movq	80(%r15), %r9
	jmp	.L3492
.L3490:
	vaddps	(%rbx), %zmm29, %zmm29
	vaddps	64(%rbx), %zmm28, %zmm28
	vaddps	128(%rbx), %zmm27, %zmm27
	vaddps	192(%rbx), %zmm26, %zmm26
	vaddps	256(%rbx), %zmm25, %zmm25
	vaddps	320(%rbx), %zmm24, %zmm24
	vaddps	384(%rbx), %zmm23, %zmm23
	vmovups	%zmm29, (%rbx)
	vaddps	448(%rbx), %zmm22, %zmm22
	vaddps	512(%rbx), %zmm21, %zmm21
	vaddps	576(%rbx), %zmm20, %zmm20
	vmovups	%zmm28, 64(%rbx)
	vaddps	640(%rbx), %zmm19, %zmm19
	vaddps	704(%rbx), %zmm18, %zmm18
	vmovups	%zmm27, 128(%rbx)
	vaddps	768(%rbx), %zmm17, %zmm17
	vaddps	832(%rbx), %zmm16, %zmm16
	vmovups	%zmm26, 192(%rbx)
	vaddps	896(%rbx), %zmm15, %zmm15
	vaddps	960(%rbx), %zmm14, %zmm14
	vmovups	%zmm25, 256(%rbx)
	vmovups	%zmm24, 320(%rbx)
	vmovups	%zmm23, 384(%rbx)
	vmovups	%zmm22, 448(%rbx)
	vmovups	%zmm21, 512(%rbx)
	vmovups	%zmm20, 576(%rbx)
	vmovups	%zmm19, 640(%rbx)
	vmovups	%zmm18, 704(%rbx)
	vmovups	%zmm17, 768(%rbx)
	vmovups	%zmm16, 832(%rbx)
	vmovups	%zmm15, 896(%rbx)
	vmovups	%zmm14, 960(%rbx)
	vaddps	1024(%rbx), %zmm13, %zmm13
	vaddps	1088(%rbx), %zmm12, %zmm12
	vaddps	1152(%rbx), %zmm11, %zmm11
	vaddps	1216(%rbx), %zmm10, %zmm10
	vaddps	1280(%rbx), %zmm9, %zmm9
	vaddps	1344(%rbx), %zmm8, %zmm8
	vaddps	1408(%rbx), %zmm7, %zmm7
	vaddps	1472(%rbx), %zmm6, %zmm6
	vmovups	%zmm13, 1024(%rbx)
	vaddps	1536(%rbx), %zmm5, %zmm5
	vaddps	1600(%rbx), %zmm4, %zmm4
	vmovups	%zmm12, 1088(%rbx)
	vaddps	1664(%rbx), %zmm3, %zmm3
	vmovups	1728(%rbx), %zmm1
	vmovups	%zmm11, 1152(%rbx)
	vmovups	%zmm10, 1216(%rbx)
	vmovups	%zmm9, 1280(%rbx)
	vmovups	%zmm8, 1344(%rbx)
	vmovups	%zmm7, 1408(%rbx)
	vmovups	%zmm6, 1472(%rbx)
	vmovups	%zmm5, 1536(%rbx)
	vmovups	%zmm4, 1600(%rbx)
	vmovups	%zmm3, 1664(%rbx)
	jmp	.L3491
.L3771:
	leaq	(%r10,%r10,4), %rcx
	vxorps	%xmm24, %xmm24, %xmm24
	movq	152(%rsp), %rax
	leaq	(%r10,%rcx,2), %rcx
	vmovaps	%zmm24, %zmm22
	vmovaps	%zmm24, %zmm23
	leaq	(%rdx,%rcx,4), %rcx
	vmovaps	%zmm24, %zmm3
	vmovaps	%zmm24, %zmm4
	vmovaps	%zmm24, %zmm5
	vmovaps	%zmm24, %zmm6
	vmovaps	%zmm24, %zmm7
	vmovaps	%zmm24, %zmm8
	vmovaps	%zmm24, %zmm9
	vmovaps	%zmm24, %zmm10
	vmovaps	%zmm24, %zmm11
	vmovaps	%zmm24, %zmm12
	vmovaps	%zmm24, %zmm13
	vmovaps	%zmm24, %zmm14
	vmovaps	%zmm24, %zmm15
	vmovaps	%zmm24, %zmm16
	vmovaps	%zmm24, %zmm17
	vmovaps	%zmm24, %zmm18
	vmovaps	%zmm24, %zmm19
	vmovaps	%zmm24, %zmm20
	vmovaps	%zmm24, %zmm21
.L3502:
	vpbroadcastd	(%rdx), %zmm25
	addq	$44, %rdx
	prefetcht0	(%rax)
	prefetcht0	64(%rax)
	vmovups	-4096(%rax), %zmm2
	subq	$-128, %rax
	vmovups	-4160(%rax), %zmm1
	vdpbf16ps	%zmm25, %zmm2, %zmm21
	vdpbf16ps	%zmm25, %zmm1, %zmm20
	vpbroadcastd	-40(%rdx), %zmm25
	vdpbf16ps	%zmm25, %zmm2, %zmm19
	vdpbf16ps	%zmm25, %zmm1, %zmm18
	vpbroadcastd	-36(%rdx), %zmm25
	vdpbf16ps	%zmm25, %zmm2, %zmm17
	vdpbf16ps	%zmm25, %zmm1, %zmm16
	vpbroadcastd	-32(%rdx), %zmm25
	vdpbf16ps	%zmm25, %zmm2, %zmm15
	vdpbf16ps	%zmm25, %zmm1, %zmm14
	vpbroadcastd	-28(%rdx), %zmm25
	vdpbf16ps	%zmm25, %zmm2, %zmm13
	vdpbf16ps	%zmm25, %zmm1, %zmm12
	vpbroadcastd	-24(%rdx), %zmm25
	vdpbf16ps	%zmm25, %zmm2, %zmm11
	vdpbf16ps	%zmm25, %zmm1, %zmm10
	vpbroadcastd	-20(%rdx), %zmm25
	vdpbf16ps	%zmm25, %zmm2, %zmm9
	vdpbf16ps	%zmm25, %zmm1, %zmm8
	vpbroadcastd	-16(%rdx), %zmm25
	vdpbf16ps	%zmm25, %zmm2, %zmm7
	vdpbf16ps	%zmm25, %zmm1, %zmm6
	vpbroadcastd	-12(%rdx), %zmm25
	vdpbf16ps	%zmm25, %zmm2, %zmm5
	vdpbf16ps	%zmm25, %zmm1, %zmm4
	vpbroadcastd	-8(%rdx), %zmm25
	vdpbf16ps	%zmm25, %zmm2, %zmm3
	vdpbf16ps	%zmm25, %zmm1, %zmm23
	vpbroadcastd	-4(%rdx), %zmm25
	vdpbf16ps	%zmm25, %zmm2, %zmm22
	vdpbf16ps	%zmm25, %zmm1, %zmm24
	cmpq	%rcx, %rdx
	jne	.L3502
	testq	%r12, %r12
	je	.L3503
	vaddps	(%rbx), %zmm21, %zmm21
	vaddps	64(%rbx), %zmm20, %zmm20
	vaddps	128(%rbx), %zmm19, %zmm19
	vaddps	192(%rbx), %zmm18, %zmm18
	vaddps	256(%rbx), %zmm17, %zmm17
	vaddps	320(%rbx), %zmm16, %zmm16
	vaddps	384(%rbx), %zmm15, %zmm15
	vmovups	%zmm21, (%rbx)
	vaddps	448(%rbx), %zmm14, %zmm14
	vaddps	512(%rbx), %zmm13, %zmm13
	vaddps	576(%rbx), %zmm12, %zmm12
	vmovups	%zmm20, 64(%rbx)
	vaddps	640(%rbx), %zmm11, %zmm11
	vaddps	704(%rbx), %zmm10, %zmm10
	vmovups	%zmm19, 128(%rbx)
	vaddps	768(%rbx), %zmm9, %zmm9
	vaddps	832(%rbx), %zmm8, %zmm8
	vmovups	%zmm18, 192(%rbx)
	vaddps	896(%rbx), %zmm7, %zmm7
	vaddps	960(%rbx), %zmm6, %zmm6
	vmovups	%zmm17, 256(%rbx)
	vmovups	%zmm16, 320(%rbx)
	vmovups	%zmm15, 384(%rbx)
	vmovups	%zmm14, 448(%rbx)
	vmovups	%zmm13, 512(%rbx)
	vmovups	%zmm12, 576(%rbx)
	vmovups	%zmm11, 640(%rbx)
	vmovups	%zmm10, 704(%rbx)
	vmovups	%zmm9, 768(%rbx)
	vmovups	%zmm8, 832(%rbx)
	vmovups	%zmm7, 896(%rbx)
	vmovups	%zmm6, 960(%rbx)
	vaddps	1024(%rbx), %zmm5, %zmm5
	vaddps	1280(%rbx), %zmm22, %zmm1
	vaddps	1088(%rbx), %zmm4, %zmm4
	vaddps	1152(%rbx), %zmm3, %zmm3
	vaddps	1216(%rbx), %zmm23, %zmm2
	vmovups	%zmm1, 1280(%rbx)
	vmovups	1344(%rbx), %zmm1
	vmovups	%zmm5, 1024(%rbx)
	vmovups	%zmm4, 1088(%rbx)
	vmovups	%zmm3, 1152(%rbx)
	vmovups	%zmm2, 1216(%rbx)
.L3504:
	vaddps	%zmm24, %zmm1, %zmm1
	vmovups	%zmm1, 1344(%rbx)
	movl	16(%r14), %edi
	movq	80(%r15), %r9
	jmp	.L3492
.L3503:
	vaddps	%zmm0, %zmm22, %zmm1
	vaddps	%zmm0, %zmm21, %zmm21
	vaddps	%zmm0, %zmm20, %zmm20
	vaddps	%zmm0, %zmm19, %zmm19
	vaddps	%zmm0, %zmm18, %zmm18
	vaddps	%zmm0, %zmm17, %zmm17
	vaddps	%zmm0, %zmm16, %zmm16
	vaddps	%zmm0, %zmm15, %zmm15
	vmovups	%zmm1, 1280(%rbx)
	vxorps	%xmm1, %xmm1, %xmm1
	vaddps	%zmm0, %zmm14, %zmm14
	vaddps	%zmm0, %zmm13, %zmm13
	vmovups	%zmm21, (%rbx)
	vaddps	%zmm0, %zmm12, %zmm12
	vaddps	%zmm0, %zmm11, %zmm11
	vmovups	%zmm20, 64(%rbx)
	vaddps	%zmm0, %zmm10, %zmm10
	vaddps	%zmm0, %zmm9, %zmm9
	vmovups	%zmm19, 128(%rbx)
	vaddps	%zmm0, %zmm8, %zmm8
	vaddps	%zmm0, %zmm7, %zmm7
	vmovups	%zmm18, 192(%rbx)
	vaddps	%zmm0, %zmm6, %zmm6
	vaddps	%zmm0, %zmm5, %zmm5
	vmovups	%zmm17, 256(%rbx)
	vaddps	%zmm0, %zmm4, %zmm4
	vaddps	%zmm0, %zmm3, %zmm3
	vmovups	%zmm16, 320(%rbx)
	vmovups	%zmm15, 384(%rbx)
	vaddps	%zmm0, %zmm23, %zmm2
	vmovups	%zmm14, 448(%rbx)
	vmovups	%zmm13, 512(%rbx)
	vmovups	%zmm12, 576(%rbx)
	vmovups	%zmm11, 640(%rbx)
	vmovups	%zmm10, 704(%rbx)
	vmovups	%zmm9, 768(%rbx)
	vmovups	%zmm8, 832(%rbx)
	vmovups	%zmm7, 896(%rbx)
	vmovups	%zmm6, 960(%rbx)
	vmovups	%zmm5, 1024(%rbx)
	vmovups	%zmm4, 1088(%rbx)
	vmovups	%zmm3, 1152(%rbx)
	vmovups	%zmm2, 1216(%rbx)
	jmp	.L3504
.L3767:
	movq	%r10, %rdi
	vxorps	%xmm4, %xmm4, %xmm4
	movq	%r13, %rax
	salq	$6, %rdi
	vmovaps	%zmm4, %zmm1
	addq	%r8, %rdi
.L3597:
	vpbroadcastd	(%rdx), %zmm5
	prefetcht1	(%r8)
	addq	$64, %r8
	vmovups	(%rax), %zmm3
	vmovups	64(%rax), %zmm2
	addq	$4, %rdx
	subq	$-128, %rax
	vdpbf16ps	%zmm5, %zmm3, %zmm1
	vdpbf16ps	%zmm5, %zmm2, %zmm4
	cmpq	%rdi, %r8
	jne	.L3597
	testq	%r12, %r12
	je	.L3598
	vaddps	(%rcx), %zmm1, %zmm1
	vmovups	64(%rcx), %zmm2
.L3599:
	vaddps	%zmm4, %zmm2, %zmm2
	vmovups	%zmm1, (%rcx)
	vmovups	%zmm2, 64(%rcx)
	movl	16(%r14), %edi
	movq	80(%r15), %r9
	jmp	.L3492
.L3766:
	movq	%r10, %rdi
	vxorps	%xmm6, %xmm6, %xmm6
	movq	%r13, %rax
	salq	$6, %rdi
	vmovaps	%zmm6, %zmm1
	vmovaps	%zmm6, %zmm2
	addq	%r8, %rdi
	vmovaps	%zmm6, %zmm3
.L3594:
	vpbroadcastd	(%rdx), %zmm7
	prefetcht1	(%r8)
	addq	$64, %r8
	subq	$-128, %rax
	vmovups	-128(%rax), %zmm5
	vmovups	-64(%rax), %zmm4
	addq	$8, %rdx
	vdpbf16ps	%zmm7, %zmm5, %zmm3
	vdpbf16ps	%zmm7, %zmm4, %zmm2
	vpbroadcastd	-4(%rdx), %zmm7
	vdpbf16ps	%zmm7, %zmm5, %zmm1
	vdpbf16ps	%zmm7, %zmm4, %zmm6
	cmpq	%rdi, %r8
	jne	.L3594
	testq	%r12, %r12
	je	.L3595
	vaddps	128(%rcx), %zmm1, %zmm1
	vaddps	(%rcx), %zmm3, %zmm3
	vaddps	64(%rcx), %zmm2, %zmm2
	vmovups	%zmm1, 128(%rcx)
	vmovups	192(%rcx), %zmm1
	vmovups	%zmm3, (%rcx)
	vmovups	%zmm2, 64(%rcx)
.L3596:
	vaddps	%zmm6, %zmm1, %zmm1
	vmovups	%zmm1, 192(%rcx)
	movl	16(%r14), %edi
	movq	80(%r15), %r9
	jmp	.L3492
.L3598:
	vaddps	%zmm0, %zmm1, %zmm1
	vxorps	%xmm2, %xmm2, %xmm2
	jmp	.L3599
.L3595:
	vaddps	%zmm0, %zmm1, %zmm1
	vaddps	%zmm0, %zmm3, %zmm3
	vaddps	%zmm0, %zmm2, %zmm2
	vmovups	%zmm1, 128(%rcx)
	vxorps	%xmm1, %xmm1, %xmm1
	vmovups	%zmm3, (%rcx)
	vmovups	%zmm2, 64(%rcx)
	jmp	.L3596
.L3604:
	xorl	%r8d, %r8d
	leaq	160(%rsp), %rdx
	leaq	224(%rsp), %r12
	vpxor	%xmm1, %xmm1, %xmm1
	testq	%rsi, %rsi
	jg	.L3608
	jmp	.L3751
	.p2align 4,,10
	.p2align 3
.L3627:
	movq	224(%rsp), %rax
	movq	96(%rax), %r10
	movq	232(%rsp), %rax
.L3608:
	movq	%r15, %rcx
	movl	$16, %esi
	movq	%rdx, %rdi
	vmovdqu8	%zmm1, 160(%rsp)
	subq	%r8, %rcx
	cmpq	%rsi, %rcx
	cmovg	%rsi, %rcx
	addq	%r8, %rax
	leaq	(%r10,%rax,4), %rsi
	leaq	0(,%rcx,4), %r9
	cmpl	$8, %r9d
	jb	.L3623
	movl	%r9d, %ecx
	shrl	$3, %ecx
	rep movsq
.L3623:
	andl	$4, %r9d
	je	.L3626
	movl	(%rsi), %eax
	movl	%eax, (%rdi)
.L3626:
	vmovups	160(%rsp), %zmm7
	vmovups	%zmm7, 24(%r12,%r8,4)
	movq	240(%rsp), %r15
	addq	$16, %r8
	cmpq	%r8, %r15
	jg	.L3627
	movq	224(%rsp), %rcx
	jmp	.L3602
.L3749:
	movq	224(%rsp), %rcx
	movq	%rsi, %r15
.L3602:
	movq	112(%rcx), %rax
	testq	%rax, %rax
	je	.L3606
	testq	%r15, %r15
	jle	.L3606
	movq	%rcx, 152(%rsp)
	movq	232(%rsp), %rsi
	leaq	376(%rsp), %rdi
	leaq	0(,%r15,4), %rdx
	leaq	(%rax,%rsi,4), %rsi
	vzeroupper
	call	memcpy@PLT
	movq	152(%rsp), %rcx
	vxorps	%xmm0, %xmm0, %xmm0
.L3606:
	movl	8(%r13), %edx
	movq	8(%r14), %rax
	cmpl	$1, %edx
	je	.L3630
	cmpl	$2, %edx
	jne	.L3631
	movq	%rbx, %r15
	xorl	%ecx, %ecx
	leaq	224(%rsp), %r12
	testq	%rax, %rax
	jle	.L3634
	movq	%rbx, 152(%rsp)
	movq	%rcx, %rbx
	vzeroupper
.L3645:
	movq	(%r14), %rsi
	movq	%r15, %rdx
	movq	%r12, %rdi
	subq	$-128, %r15
	addq	%rbx, %rsi
	addq	$1, %rbx
	call	_ZNK10torchpaged12_GLOBAL__N_111PanelFinish3rowINS0_8BFloat16EEEvlPKf
	cmpq	8(%r14), %rbx
	vxorps	%xmm0, %xmm0, %xmm0
	jl	.L3645
	movq	152(%rsp), %rbx
.L3634:
	addq	$1, 144(%rsp)
	movq	144(%rsp), %rax
	cmpq	%rax, 112(%rsp)
	jne	.L3484
	vzeroupper
.L3747:
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L3631:
	.cfi_restore_state
	testq	%rax, %rax
	jle	.L3634
	leaq	-1(%r15), %rdi
	xorl	%eax, %eax
	movq	%r15, %r8
	movq	%r13, %r10
	movq	%rdi, 128(%rsp)
	movq	232(%rsp), %rdx
	movq	%rax, %r13
	movq	%rbx, %r11
	leaq	0(,%r15,4), %rsi
	movq	%rbx, %r15
.L3648:
	movq	(%r14), %rdi
	movq	40(%rcx), %r9
	movq	120(%rcx), %rbx
	addq	%r13, %rdi
	testq	%r9, %r9
	je	.L3646
	movq	(%r9,%rdi,8), %rdi
.L3646:
	imulq	72(%rcx), %rdi
	addq	%rdx, %rdi
	leaq	(%rbx,%rdi,4), %rdi
	testq	%r8, %r8
	jle	.L3654
	movq	%r13, 104(%rsp)
	leaq	(%rdi,%rsi), %r9
	movq	128(%rsp), %rbx
	leaq	160(%rsp), %rax
	movq	%rax, 152(%rsp)
	movl	$15, %r12d
	andq	$-16, %rbx
	movq	%rdx, 96(%rsp)
	addq	$31, %rbx
	movq	%rsi, 88(%rsp)
	movq	%rbx, %r13
	movq	%r8, %rbx
	jmp	.L3653
.L3782:
	addq	$16, %r12
	vmovups	%zmm1, (%rdi)
	addq	$64, %rdi
	cmpq	%r12, %r13
	je	.L3781
.L3653:
	cmpq	$0, 112(%rcx)
	vmovups	-60(%r15,%r12,4), %zmm1
	je	.L3649
	vmulps	316(%rsp,%r12,4), %zmm1, %zmm1
.L3649:
	cmpq	$0, 96(%rcx)
	je	.L3650
	vaddps	188(%rsp,%r12,4), %zmm1, %zmm1
.L3650:
	cmpq	%rbx, %r12
	jl	.L3782
	movq	%r11, 56(%rsp)
	movq	%r9, %rdx
	movq	152(%rsp), %rsi
	movq	%r10, 64(%rsp)
	subq	%rdi, %rdx
	movq	%rcx, 72(%rsp)
	movq	%r9, 80(%rsp)
	vmovups	%zmm1, 160(%rsp)
	vzeroupper
	call	memcpy@PLT
	addq	$16, %r12
	movq	56(%rsp), %r11
	movq	%rax, %rdi
	movq	64(%rsp), %r10
	movq	72(%rsp), %rcx
	vxorps	%xmm0, %xmm0, %xmm0
	movq	80(%rsp), %r9
	addq	$64, %rdi
	cmpq	%r12, %r13
	jne	.L3653
.L3781:
	movq	104(%rsp), %r13
	movq	96(%rsp), %rdx
	movq	%rbx, %r8
	movq	88(%rsp), %rsi
.L3654:
	addq	$1, %r13
	subq	$-128, %r15
	cmpq	8(%r14), %r13
	jl	.L3648
	movq	%r10, %r13
	movq	%r11, %rbx
	jmp	.L3634
.L3630:
	testq	%rax, %rax
	jle	.L3634
	leaq	-1(%r15), %rdi
	xorl	%eax, %eax
	leaq	(%r15,%r15), %rsi
	movq	%r15, %r8
	movq	%rdi, 128(%rsp)
	movq	%r13, %r10
	movq	%rbx, %r15
	movq	%rax, %r13
	movq	232(%rsp), %rdx
	movq	%rbx, %r11
.L3638:
	movq	(%r14), %rdi
	movq	40(%rcx), %r9
	movq	120(%rcx), %rbx
	addq	%r13, %rdi
	testq	%r9, %r9
	je	.L3636
	movq	(%r9,%rdi,8), %rdi
.L3636:
	imulq	72(%rcx), %rdi
	addq	%rdx, %rdi
	leaq	(%rbx,%rdi,2), %rdi
	testq	%r8, %r8
	jle	.L3644
	movq	%r13, 104(%rsp)
	leaq	(%rdi,%rsi), %r9
	movq	128(%rsp), %rbx
	leaq	160(%rsp), %rax
	movq	%rax, 152(%rsp)
	movl	$15, %r12d
	andq	$-16, %rbx
	movq	%rsi, 96(%rsp)
	addq	$31, %rbx
	movq	%rdx, 88(%rsp)
	movq	%rbx, %r13
	movq	%r8, %rbx
	jmp	.L3643
.L3784:
	addq	$16, %r12
	vcvtps2ph	$8, %zmm1, %ymm1
	addq	$32, %rdi
	vmovdqu	%ymm1, -32(%rdi)
	cmpq	%r12, %r13
	je	.L3783
.L3643:
	cmpq	$0, 112(%rcx)
	vmovups	-60(%r15,%r12,4), %zmm1
	je	.L3639
	vmulps	316(%rsp,%r12,4), %zmm1, %zmm1
.L3639:
	cmpq	$0, 96(%rcx)
	je	.L3640
	vaddps	188(%rsp,%r12,4), %zmm1, %zmm1
.L3640:
	cmpq	%rbx, %r12
	jl	.L3784
	movq	%r11, 56(%rsp)
	movq	%r9, %rdx
	movq	152(%rsp), %rsi
	vcvtps2ph	$8, %zmm1, 160(%rsp)
	movq	%r10, 64(%rsp)
	subq	%rdi, %rdx
	movq	%rcx, 72(%rsp)
	movq	%r9, 80(%rsp)
	vzeroupper
	call	memcpy@PLT
	addq	$16, %r12
	movq	56(%rsp), %r11
	movq	%rax, %rdi
	movq	64(%rsp), %r10
	movq	72(%rsp), %rcx
	vxorps	%xmm0, %xmm0, %xmm0
	movq	80(%rsp), %r9
	addq	$32, %rdi
	cmpq	%r12, %r13
	jne	.L3643
.L3783:
	movq	104(%rsp), %r13
	movq	96(%rsp), %rsi
	movq	%rbx, %r8
	movq	88(%rsp), %rdx
.L3644:
	addq	$1, %r13
	subq	$-128, %r15
	cmpq	8(%r14), %r13
	jl	.L3638
	movq	%r10, %r13
	movq	%r11, %rbx
	jmp	.L3634
.L3603:
	xorl	%ecx, %ecx
	leaq	160(%rsp), %rdx
	leaq	224(%rsp), %r12
	vpxor	%xmm1, %xmm1, %xmm1
	testq	%rsi, %rsi
	jle	.L3751
	movq	%r15, %rsi
	jmp	.L3607
.L3609:
	xorl	%edi, %edi
	testb	$4, %sil
	je	.L3612
	movl	(%rax), %edi
	movl	%edi, (%r8)
	movl	$4, %edi
.L3612:
	andl	$2, %esi
	je	.L3614
	movzwl	(%rax,%rdi), %eax
	movw	%ax, (%r8,%rdi)
.L3614:
	vcvtph2ps	160(%rsp), %zmm2
	vmovups	%zmm2, 24(%r12,%rcx,4)
	addq	$16, %rcx
	movq	240(%rsp), %rsi
	cmpq	%rcx, %rsi
	jle	.L3749
	movq	224(%rsp), %rax
	movq	96(%rax), %r10
	movq	232(%rsp), %rax
.L3607:
	movl	$16, %edi
	subq	%rcx, %rsi
	movq	%rdx, %r8
	vmovdqa	%ymm1, 160(%rsp)
	cmpq	%rdi, %rsi
	cmovg	%rdi, %rsi
	addq	%rcx, %rax
	leaq	(%r10,%rax,2), %rdi
	addq	%rsi, %rsi
	movq	%rdi, %rax
	cmpl	$8, %esi
	jb	.L3609
	movl	%esi, %r9d
	xorl	%eax, %eax
	andl	$-8, %r9d
.L3610:
	movl	%eax, %r8d
	addl	$8, %eax
	movq	(%rdi,%r8), %r10
	movq	%r10, (%rdx,%r8)
	cmpl	%r9d, %eax
	jb	.L3610
	leaq	(%rdx,%rax), %r8
	addq	%rdi, %rax
	jmp	.L3609
.L3658:
	movq	%r13, %rcx
	jmp	.L3602
.L3765:
	vxorps	%xmm8, %xmm8, %xmm8
	movq	%r13, %rax
	vmovaps	%zmm8, %zmm1
	vmovaps	%zmm8, %zmm2
	vmovaps	%zmm8, %zmm3
	vmovaps	%zmm8, %zmm4
	vmovaps	%zmm8, %zmm5
.L3590:
	vpbroadcastd	(%rdx), %zmm9
	subq	$-128, %rax
	prefetcht1	(%r8)
	addq	$12, %rdx
	vmovups	-128(%rax), %zmm7
	vmovups	-64(%rax), %zmm6
	addq	$64, %r8
	vdpbf16ps	%zmm9, %zmm7, %zmm5
	vdpbf16ps	%zmm9, %zmm6, %zmm4
	vpbroadcastd	-8(%rdx), %zmm9
	vdpbf16ps	%zmm9, %zmm7, %zmm3
	vdpbf16ps	%zmm9, %zmm6, %zmm2
	vpbroadcastd	-4(%rdx), %zmm9
	vdpbf16ps	%zmm9, %zmm7, %zmm1
	vdpbf16ps	%zmm9, %zmm6, %zmm8
	cmpq	%rax, %rsi
	jne	.L3590
	testq	%r12, %r12
	je	.L3591
	vaddps	256(%rcx), %zmm1, %zmm1
	vaddps	(%rcx), %zmm5, %zmm5
	vaddps	64(%rcx), %zmm4, %zmm4
	vaddps	128(%rcx), %zmm3, %zmm3
	vaddps	192(%rcx), %zmm2, %zmm2
	vmovups	%zmm1, 256(%rcx)
	vmovups	320(%rcx), %zmm1
	vmovups	%zmm5, (%rcx)
	vmovups	%zmm4, 64(%rcx)
	vmovups	%zmm3, 128(%rcx)
	vmovups	%zmm2, 192(%rcx)
.L3592:
	vaddps	%zmm8, %zmm1, %zmm1
	vmovups	%zmm1, 320(%rcx)
	movl	16(%r14), %edi
	movq	80(%r15), %r9
	jmp	.L3492
.L3591:
	vaddps	%zmm0, %zmm1, %zmm1
	vaddps	%zmm0, %zmm5, %zmm5
	vaddps	%zmm0, %zmm4, %zmm4
	vaddps	%zmm0, %zmm3, %zmm3
	vaddps	%zmm0, %zmm2, %zmm2
	vmovups	%zmm1, 256(%rcx)
	vxorps	%xmm1, %xmm1, %xmm1
	vmovups	%zmm5, (%rcx)
	vmovups	%zmm4, 64(%rcx)
	vmovups	%zmm3, 128(%rcx)
	vmovups	%zmm2, 192(%rcx)
	jmp	.L3592
.L3764:
	vxorps	%xmm10, %xmm10, %xmm10
	movq	%r13, %rax
	vmovaps	%zmm10, %zmm3
	vmovaps	%zmm10, %zmm4
	vmovaps	%zmm10, %zmm5
	vmovaps	%zmm10, %zmm6
	vmovaps	%zmm10, %zmm7
	vmovaps	%zmm10, %zmm8
	vmovaps	%zmm10, %zmm9
.L3586:
	vpbroadcastd	(%rdx), %zmm11
	subq	$-128, %rax
	prefetcht1	(%r8)
	addq	$16, %rdx
	vmovups	-128(%rax), %zmm2
	vmovups	-64(%rax), %zmm1
	addq	$64, %r8
	vdpbf16ps	%zmm11, %zmm2, %zmm9
	vdpbf16ps	%zmm11, %zmm1, %zmm8
	vpbroadcastd	-12(%rdx), %zmm11
	vdpbf16ps	%zmm11, %zmm2, %zmm7
	vdpbf16ps	%zmm11, %zmm1, %zmm6
	vpbroadcastd	-8(%rdx), %zmm11
	vdpbf16ps	%zmm11, %zmm2, %zmm5
	vdpbf16ps	%zmm11, %zmm1, %zmm4
	vpbroadcastd	-4(%rdx), %zmm11
	vdpbf16ps	%zmm11, %zmm2, %zmm3
	vdpbf16ps	%zmm11, %zmm1, %zmm10
	cmpq	%rax, %rsi
	jne	.L3586
	testq	%r12, %r12
	je	.L3587
	vaddps	(%rcx), %zmm9, %zmm9
	vaddps	64(%rcx), %zmm8, %zmm8
	vaddps	128(%rcx), %zmm7, %zmm7
	vaddps	192(%rcx), %zmm6, %zmm6
	vaddps	256(%rcx), %zmm5, %zmm5
	vaddps	320(%rcx), %zmm4, %zmm4
	vaddps	384(%rcx), %zmm3, %zmm3
	vmovups	%zmm9, (%rcx)
	vmovups	448(%rcx), %zmm1
	vmovups	%zmm8, 64(%rcx)
	vmovups	%zmm7, 128(%rcx)
	vmovups	%zmm6, 192(%rcx)
	vmovups	%zmm5, 256(%rcx)
	vmovups	%zmm4, 320(%rcx)
	vmovups	%zmm3, 384(%rcx)
.L3588:
	vaddps	%zmm10, %zmm1, %zmm1
	vmovups	%zmm1, 448(%rcx)
	movl	16(%r14), %edi
	movq	80(%r15), %r9
	jmp	.L3492
.L3587:
	vaddps	%zmm0, %zmm9, %zmm9
	vaddps	%zmm0, %zmm8, %zmm8
	vxorps	%xmm1, %xmm1, %xmm1
	vaddps	%zmm0, %zmm7, %zmm7
	vaddps	%zmm0, %zmm6, %zmm6
	vaddps	%zmm0, %zmm5, %zmm5
	vaddps	%zmm0, %zmm4, %zmm4
	vaddps	%zmm0, %zmm3, %zmm3
	vmovups	%zmm9, (%rcx)
	vmovups	%zmm8, 64(%rcx)
	vmovups	%zmm7, 128(%rcx)
	vmovups	%zmm6, 192(%rcx)
	vmovups	%zmm5, 256(%rcx)
	vmovups	%zmm4, 320(%rcx)
	vmovups	%zmm3, 384(%rcx)
	jmp	.L3588
.L3763:
	vxorps	%xmm12, %xmm12, %xmm12
	movq	%r13, %rax
	vmovaps	%zmm12, %zmm11
	vmovaps	%zmm12, %zmm3
	vmovaps	%zmm12, %zmm4
	vmovaps	%zmm12, %zmm5
	vmovaps	%zmm12, %zmm6
	vmovaps	%zmm12, %zmm7
	vmovaps	%zmm12, %zmm8
	vmovaps	%zmm12, %zmm9
	vmovaps	%zmm12, %zmm10
.L3582:
	vpbroadcastd	(%rdx), %zmm13
	subq	$-128, %rax
	prefetcht1	(%r8)
	addq	$20, %rdx
	vmovups	-128(%rax), %zmm2
	vmovups	-64(%rax), %zmm1
	addq	$64, %r8
	vdpbf16ps	%zmm13, %zmm2, %zmm10
	vdpbf16ps	%zmm13, %zmm1, %zmm9
	vpbroadcastd	-16(%rdx), %zmm13
	vdpbf16ps	%zmm13, %zmm2, %zmm8
	vdpbf16ps	%zmm13, %zmm1, %zmm7
	vpbroadcastd	-12(%rdx), %zmm13
	vdpbf16ps	%zmm13, %zmm2, %zmm6
	vdpbf16ps	%zmm13, %zmm1, %zmm5
	vpbroadcastd	-8(%rdx), %zmm13
	vdpbf16ps	%zmm13, %zmm2, %zmm4
	vdpbf16ps	%zmm13, %zmm1, %zmm3
	vpbroadcastd	-4(%rdx), %zmm13
	vdpbf16ps	%zmm13, %zmm2, %zmm11
	vdpbf16ps	%zmm13, %zmm1, %zmm12
	cmpq	%rax, %rsi
	jne	.L3582
	testq	%r12, %r12
	je	.L3583
	vaddps	(%rcx), %zmm10, %zmm10
	vaddps	64(%rcx), %zmm9, %zmm9
	vaddps	128(%rcx), %zmm8, %zmm8
	vaddps	192(%rcx), %zmm7, %zmm7
	vaddps	256(%rcx), %zmm6, %zmm6
	vaddps	320(%rcx), %zmm5, %zmm5
	vaddps	384(%rcx), %zmm4, %zmm4
	vmovups	%zmm10, (%rcx)
	vaddps	448(%rcx), %zmm3, %zmm3
	vaddps	512(%rcx), %zmm11, %zmm11
	vmovups	576(%rcx), %zmm1
	vmovups	%zmm9, 64(%rcx)
	vmovups	%zmm8, 128(%rcx)
	vmovups	%zmm7, 192(%rcx)
	vmovups	%zmm6, 256(%rcx)
	vmovups	%zmm5, 320(%rcx)
	vmovups	%zmm4, 384(%rcx)
	vmovups	%zmm3, 448(%rcx)
	vmovups	%zmm11, 512(%rcx)
.L3584:
	vaddps	%zmm12, %zmm1, %zmm1
	vmovups	%zmm1, 576(%rcx)
	movl	16(%r14), %edi
	movq	80(%r15), %r9
	jmp	.L3492
.L3583:
	vaddps	%zmm0, %zmm10, %zmm10
	vaddps	%zmm0, %zmm9, %zmm9
	vxorps	%xmm1, %xmm1, %xmm1
	vaddps	%zmm0, %zmm8, %zmm8
	vaddps	%zmm0, %zmm7, %zmm7
	vaddps	%zmm0, %zmm6, %zmm6
	vaddps	%zmm0, %zmm5, %zmm5
	vaddps	%zmm0, %zmm4, %zmm4
	vaddps	%zmm0, %zmm3, %zmm3
	vmovups	%zmm10, (%rcx)
	vaddps	%zmm0, %zmm11, %zmm11
	vmovups	%zmm9, 64(%rcx)
	vmovups	%zmm8, 128(%rcx)
	vmovups	%zmm7, 192(%rcx)
	vmovups	%zmm6, 256(%rcx)
	vmovups	%zmm5, 320(%rcx)
	vmovups	%zmm4, 384(%rcx)
	vmovups	%zmm3, 448(%rcx)
	vmovups	%zmm11, 512(%rcx)
	jmp	.L3584
.L3780:
	vxorps	%xmm6, %xmm6, %xmm6
	leaq	4160(%r13), %rax
	leaq	(%rdx,%r10,8), %rcx
	vmovaps	%zmm6, %zmm1
	vmovaps	%zmm6, %zmm2
	vmovaps	%zmm6, %zmm3
.L3538:
	vpbroadcastd	(%rdx), %zmm7
	addq	$8, %rdx
	prefetcht0	-64(%rax)
	prefetcht0	(%rax)
	vmovups	-4160(%rax), %zmm5
	subq	$-128, %rax
	vmovups	-4224(%rax), %zmm4
	vdpbf16ps	%zmm7, %zmm5, %zmm3
	vdpbf16ps	%zmm7, %zmm4, %zmm2
	vpbroadcastd	-4(%rdx), %zmm7
	vdpbf16ps	%zmm7, %zmm5, %zmm1
	vdpbf16ps	%zmm7, %zmm4, %zmm6
	cmpq	%rdx, %rcx
	jne	.L3538
	testq	%r12, %r12
	je	.L3539
	vaddps	128(%rbx), %zmm1, %zmm1
	vaddps	(%rbx), %zmm3, %zmm3
	vaddps	64(%rbx), %zmm2, %zmm2
	vmovups	%zmm1, 128(%rbx)
	vmovups	192(%rbx), %zmm1
	vmovups	%zmm3, (%rbx)
	vmovups	%zmm2, 64(%rbx)
.L3540:
	vaddps	%zmm6, %zmm1, %zmm1
	vmovups	%zmm1, 192(%rbx)
	movl	16(%r14), %edi
	movq	80(%r15), %r9
	jmp	.L3492
.L3542:
	vaddps	%zmm0, %zmm1, %zmm1
	vxorps	%xmm2, %xmm2, %xmm2
	jmp	.L3543
.L3539:
	vaddps	%zmm0, %zmm1, %zmm1
	vaddps	%zmm0, %zmm3, %zmm3
	vaddps	%zmm0, %zmm2, %zmm2
	vmovups	%zmm1, 128(%rbx)
	vxorps	%xmm1, %xmm1, %xmm1
	vmovups	%zmm3, (%rbx)
	vmovups	%zmm2, 64(%rbx)
	jmp	.L3540
.L3775:
	leaq	0(,%r10,8), %rcx
	vxorps	%xmm16, %xmm16, %xmm16
	movq	152(%rsp), %rax
	subq	%r10, %rcx
	vmovaps	%zmm16, %zmm15
	vmovaps	%zmm16, %zmm8
	leaq	(%rdx,%rcx,4), %rcx
	vmovaps	%zmm16, %zmm9
	vmovaps	%zmm16, %zmm10
	vmovaps	%zmm16, %zmm11
	vmovaps	%zmm16, %zmm12
	vmovaps	%zmm16, %zmm13
	vmovaps	%zmm16, %zmm14
	vmovaps	%zmm16, %zmm3
	vmovaps	%zmm16, %zmm4
	vmovaps	%zmm16, %zmm5
	vmovaps	%zmm16, %zmm6
	vmovaps	%zmm16, %zmm7
.L3518:
	vpbroadcastd	(%rdx), %zmm17
	addq	$28, %rdx
	prefetcht0	(%rax)
	prefetcht0	64(%rax)
	vmovups	-4096(%rax), %zmm2
	subq	$-128, %rax
	vmovups	-4160(%rax), %zmm1
	vdpbf16ps	%zmm17, %zmm2, %zmm7
	vdpbf16ps	%zmm17, %zmm1, %zmm6
	vpbroadcastd	-24(%rdx), %zmm17
	vdpbf16ps	%zmm17, %zmm2, %zmm5
	vdpbf16ps	%zmm17, %zmm1, %zmm4
	vpbroadcastd	-20(%rdx), %zmm17
	vdpbf16ps	%zmm17, %zmm2, %zmm3
	vdpbf16ps	%zmm17, %zmm1, %zmm14
	vpbroadcastd	-16(%rdx), %zmm17
	vdpbf16ps	%zmm17, %zmm2, %zmm13
	vdpbf16ps	%zmm17, %zmm1, %zmm12
	vpbroadcastd	-12(%rdx), %zmm17
	vdpbf16ps	%zmm17, %zmm2, %zmm11
	vdpbf16ps	%zmm17, %zmm1, %zmm10
	vpbroadcastd	-8(%rdx), %zmm17
	vdpbf16ps	%zmm17, %zmm2, %zmm9
	vdpbf16ps	%zmm17, %zmm1, %zmm8
	vpbroadcastd	-4(%rdx), %zmm17
	vdpbf16ps	%zmm17, %zmm2, %zmm15
	vdpbf16ps	%zmm17, %zmm1, %zmm16
	cmpq	%rcx, %rdx
	jne	.L3518
	testq	%r12, %r12
	je	.L3519
	vaddps	(%rbx), %zmm7, %zmm7
	vaddps	64(%rbx), %zmm6, %zmm6
	vaddps	128(%rbx), %zmm5, %zmm5
	vaddps	192(%rbx), %zmm4, %zmm4
	vaddps	256(%rbx), %zmm3, %zmm3
	vaddps	320(%rbx), %zmm14, %zmm14
	vaddps	384(%rbx), %zmm13, %zmm13
	vmovups	%zmm7, (%rbx)
	vaddps	448(%rbx), %zmm12, %zmm12
	vaddps	512(%rbx), %zmm11, %zmm11
	vaddps	576(%rbx), %zmm10, %zmm10
	vmovups	%zmm6, 64(%rbx)
	vaddps	640(%rbx), %zmm9, %zmm9
	vaddps	704(%rbx), %zmm8, %zmm8
	vmovups	%zmm5, 128(%rbx)
	vaddps	768(%rbx), %zmm15, %zmm15
	vmovups	832(%rbx), %zmm1
	vmovups	%zmm4, 192(%rbx)
	vmovups	%zmm3, 256(%rbx)
	vmovups	%zmm14, 320(%rbx)
	vmovups	%zmm13, 384(%rbx)
	vmovups	%zmm12, 448(%rbx)
	vmovups	%zmm11, 512(%rbx)
	vmovups	%zmm10, 576(%rbx)
	vmovups	%zmm9, 640(%rbx)
	vmovups	%zmm8, 704(%rbx)
	vmovups	%zmm15, 768(%rbx)
.L3520:
	vaddps	%zmm16, %zmm1, %zmm1
	vmovups	%zmm1, 832(%rbx)
	movl	16(%r14), %edi
	movq	80(%r15), %r9
	jmp	.L3492
.L3519:
	vaddps	%zmm0, %zmm7, %zmm7
	vaddps	%zmm0, %zmm6, %zmm6
	vxorps	%xmm1, %xmm1, %xmm1
	vaddps	%zmm0, %zmm5, %zmm5
	vaddps	%zmm0, %zmm4, %zmm4
	vaddps	%zmm0, %zmm3, %zmm3
	vaddps	%zmm0, %zmm14, %zmm14
	vaddps	%zmm0, %zmm13, %zmm13
	vaddps	%zmm0, %zmm12, %zmm12
	vmovups	%zmm7, (%rbx)
	vaddps	%zmm0, %zmm11, %zmm11
	vaddps	%zmm0, %zmm10, %zmm10
	vmovups	%zmm6, 64(%rbx)
	vaddps	%zmm0, %zmm9, %zmm9
	vaddps	%zmm0, %zmm8, %zmm8
	vmovups	%zmm5, 128(%rbx)
	vmovups	%zmm4, 192(%rbx)
	vaddps	%zmm0, %zmm15, %zmm15
	vmovups	%zmm3, 256(%rbx)
	vmovups	%zmm14, 320(%rbx)
	vmovups	%zmm13, 384(%rbx)
	vmovups	%zmm12, 448(%rbx)
	vmovups	%zmm11, 512(%rbx)
	vmovups	%zmm10, 576(%rbx)
	vmovups	%zmm9, 640(%rbx)
	vmovups	%zmm8, 704(%rbx)
	vmovups	%zmm15, 768(%rbx)
	jmp	.L3520
.L3774:
	movq	%r10, %rcx
	vxorps	%xmm18, %xmm18, %xmm18
	movq	152(%rsp), %rax
	salq	$5, %rcx
	vmovaps	%zmm18, %zmm6
	vmovaps	%zmm18, %zmm7
	addq	%rdx, %rcx
	vmovaps	%zmm18, %zmm8
	vmovaps	%zmm18, %zmm9
	vmovaps	%zmm18, %zmm10
	vmovaps	%zmm18, %zmm11
	vmovaps	%zmm18, %zmm12
	vmovaps	%zmm18, %zmm13
	vmovaps	%zmm18, %zmm14
	vmovaps	%zmm18, %zmm15
	vmovaps	%zmm18, %zmm16
	vmovaps	%zmm18, %zmm17
	vmovaps	%zmm18, %zmm3
	vmovaps	%zmm18, %zmm4
	vmovaps	%zmm18, %zmm5
.L3514:
	vpbroadcastd	(%rdx), %zmm19
	addq	$32, %rdx
	prefetcht0	(%rax)
	prefetcht0	64(%rax)
	vmovups	-4096(%rax), %zmm2
	subq	$-128, %rax
	vmovups	-4160(%rax), %zmm1
	vdpbf16ps	%zmm19, %zmm2, %zmm5
	vdpbf16ps	%zmm19, %zmm1, %zmm4
	vpbroadcastd	-28(%rdx), %zmm19
	vdpbf16ps	%zmm19, %zmm2, %zmm3
	vdpbf16ps	%zmm19, %zmm1, %zmm17
	vpbroadcastd	-24(%rdx), %zmm19
	vdpbf16ps	%zmm19, %zmm2, %zmm16
	vdpbf16ps	%zmm19, %zmm1, %zmm15
	vpbroadcastd	-20(%rdx), %zmm19
	vdpbf16ps	%zmm19, %zmm2, %zmm14
	vdpbf16ps	%zmm19, %zmm1, %zmm13
	vpbroadcastd	-16(%rdx), %zmm19
	vdpbf16ps	%zmm19, %zmm2, %zmm12
	vdpbf16ps	%zmm19, %zmm1, %zmm11
	vpbroadcastd	-12(%rdx), %zmm19
	vdpbf16ps	%zmm19, %zmm2, %zmm10
	vdpbf16ps	%zmm19, %zmm1, %zmm9
	vpbroadcastd	-8(%rdx), %zmm19
	vdpbf16ps	%zmm19, %zmm2, %zmm8
	vdpbf16ps	%zmm19, %zmm1, %zmm7
	vpbroadcastd	-4(%rdx), %zmm19
	vdpbf16ps	%zmm19, %zmm2, %zmm6
	vdpbf16ps	%zmm19, %zmm1, %zmm18
	cmpq	%rcx, %rdx
	jne	.L3514
	testq	%r12, %r12
	je	.L3515
	vaddps	(%rbx), %zmm5, %zmm5
	vaddps	64(%rbx), %zmm4, %zmm4
	vaddps	128(%rbx), %zmm3, %zmm3
	vaddps	192(%rbx), %zmm17, %zmm17
	vaddps	256(%rbx), %zmm16, %zmm16
	vaddps	320(%rbx), %zmm15, %zmm15
	vaddps	384(%rbx), %zmm14, %zmm14
	vmovups	%zmm5, (%rbx)
	vaddps	448(%rbx), %zmm13, %zmm13
	vaddps	512(%rbx), %zmm12, %zmm12
	vaddps	576(%rbx), %zmm11, %zmm11
	vmovups	%zmm4, 64(%rbx)
	vaddps	640(%rbx), %zmm10, %zmm10
	vaddps	704(%rbx), %zmm9, %zmm9
	vmovups	%zmm3, 128(%rbx)
	vaddps	768(%rbx), %zmm8, %zmm8
	vaddps	832(%rbx), %zmm7, %zmm7
	vmovups	%zmm17, 192(%rbx)
	vaddps	896(%rbx), %zmm6, %zmm6
	vmovups	960(%rbx), %zmm1
	vmovups	%zmm16, 256(%rbx)
	vmovups	%zmm15, 320(%rbx)
	vmovups	%zmm14, 384(%rbx)
	vmovups	%zmm13, 448(%rbx)
	vmovups	%zmm12, 512(%rbx)
	vmovups	%zmm11, 576(%rbx)
	vmovups	%zmm10, 640(%rbx)
	vmovups	%zmm9, 704(%rbx)
	vmovups	%zmm8, 768(%rbx)
	vmovups	%zmm7, 832(%rbx)
	vmovups	%zmm6, 896(%rbx)
.L3516:
	vaddps	%zmm18, %zmm1, %zmm1
	vmovups	%zmm1, 960(%rbx)
	movl	16(%r14), %edi
	movq	80(%r15), %r9
	jmp	.L3492
.L3515:
	vaddps	%zmm0, %zmm5, %zmm5
	vaddps	%zmm0, %zmm4, %zmm4
	vxorps	%xmm1, %xmm1, %xmm1
	vaddps	%zmm0, %zmm3, %zmm3
	vaddps	%zmm0, %zmm17, %zmm17
	vaddps	%zmm0, %zmm16, %zmm16
	vaddps	%zmm0, %zmm15, %zmm15
	vaddps	%zmm0, %zmm14, %zmm14
	vaddps	%zmm0, %zmm13, %zmm13
	vmovups	%zmm5, (%rbx)
	vaddps	%zmm0, %zmm12, %zmm12
	vaddps	%zmm0, %zmm11, %zmm11
	vmovups	%zmm4, 64(%rbx)
	vaddps	%zmm0, %zmm10, %zmm10
	vaddps	%zmm0, %zmm9, %zmm9
	vmovups	%zmm3, 128(%rbx)
	vaddps	%zmm0, %zmm8, %zmm8
	vaddps	%zmm0, %zmm7, %zmm7
	vmovups	%zmm17, 192(%rbx)
	vmovups	%zmm16, 256(%rbx)
	vaddps	%zmm0, %zmm6, %zmm6
	vmovups	%zmm15, 320(%rbx)
	vmovups	%zmm14, 384(%rbx)
	vmovups	%zmm13, 448(%rbx)
	vmovups	%zmm12, 512(%rbx)
	vmovups	%zmm11, 576(%rbx)
	vmovups	%zmm10, 640(%rbx)
	vmovups	%zmm9, 704(%rbx)
	vmovups	%zmm8, 768(%rbx)
	vmovups	%zmm7, 832(%rbx)
	vmovups	%zmm6, 896(%rbx)
	jmp	.L3516
.L3773:
	vxorps	%xmm20, %xmm20, %xmm20
	leaq	(%r10,%r10,8), %rcx
	movq	152(%rsp), %rax
	leaq	(%rdx,%rcx,4), %rcx
	vmovaps	%zmm20, %zmm13
	vmovaps	%zmm20, %zmm14
	vmovaps	%zmm20, %zmm15
	vmovaps	%zmm20, %zmm16
	vmovaps	%zmm20, %zmm17
	vmovaps	%zmm20, %zmm18
	vmovaps	%zmm20, %zmm19
	vmovaps	%zmm20, %zmm5
	vmovaps	%zmm20, %zmm6
	vmovaps	%zmm20, %zmm7
	vmovaps	%zmm20, %zmm8
	vmovaps	%zmm20, %zmm9
	vmovaps	%zmm20, %zmm10
	vmovaps	%zmm20, %zmm11
	vmovaps	%zmm20, %zmm12
	vmovaps	%zmm20, %zmm3
	vmovaps	%zmm20, %zmm4
.L3510:
	vpbroadcastd	(%rdx), %zmm21
	addq	$36, %rdx
	prefetcht0	(%rax)
	prefetcht0	64(%rax)
	vmovups	-4096(%rax), %zmm2
	subq	$-128, %rax
	vmovups	-4160(%rax), %zmm1
	vdpbf16ps	%zmm21, %zmm2, %zmm4
	vdpbf16ps	%zmm21, %zmm1, %zmm3
	vpbroadcastd	-32(%rdx), %zmm21
	vdpbf16ps	%zmm21, %zmm2, %zmm12
	vdpbf16ps	%zmm21, %zmm1, %zmm11
	vpbroadcastd	-28(%rdx), %zmm21
	vdpbf16ps	%zmm21, %zmm2, %zmm10
	vdpbf16ps	%zmm21, %zmm1, %zmm9
	vpbroadcastd	-24(%rdx), %zmm21
	vdpbf16ps	%zmm21, %zmm2, %zmm8
	vdpbf16ps	%zmm21, %zmm1, %zmm7
	vpbroadcastd	-20(%rdx), %zmm21
	vdpbf16ps	%zmm21, %zmm2, %zmm6
	vdpbf16ps	%zmm21, %zmm1, %zmm5
	vpbroadcastd	-16(%rdx), %zmm21
	vdpbf16ps	%zmm21, %zmm2, %zmm19
	vdpbf16ps	%zmm21, %zmm1, %zmm18
	vpbroadcastd	-12(%rdx), %zmm21
	vdpbf16ps	%zmm21, %zmm2, %zmm17
	vdpbf16ps	%zmm21, %zmm1, %zmm16
	vpbroadcastd	-8(%rdx), %zmm21
	vdpbf16ps	%zmm21, %zmm2, %zmm15
	vdpbf16ps	%zmm21, %zmm1, %zmm14
	vpbroadcastd	-4(%rdx), %zmm21
	vdpbf16ps	%zmm21, %zmm2, %zmm13
	vdpbf16ps	%zmm21, %zmm1, %zmm20
	cmpq	%rdx, %rcx
	jne	.L3510
	testq	%r12, %r12
	je	.L3511
	vaddps	(%rbx), %zmm4, %zmm4
	vaddps	64(%rbx), %zmm3, %zmm3
	vaddps	128(%rbx), %zmm12, %zmm12
	vaddps	192(%rbx), %zmm11, %zmm11
	vaddps	256(%rbx), %zmm10, %zmm10
	vaddps	320(%rbx), %zmm9, %zmm9
	vaddps	384(%rbx), %zmm8, %zmm8
	vmovups	%zmm4, (%rbx)
	vaddps	448(%rbx), %zmm7, %zmm7
	vaddps	512(%rbx), %zmm6, %zmm6
	vaddps	576(%rbx), %zmm5, %zmm5
	vmovups	%zmm3, 64(%rbx)
	vaddps	640(%rbx), %zmm19, %zmm19
	vaddps	704(%rbx), %zmm18, %zmm18
	vmovups	%zmm12, 128(%rbx)
	vaddps	768(%rbx), %zmm17, %zmm17
	vaddps	832(%rbx), %zmm16, %zmm16
	vmovups	%zmm11, 192(%rbx)
	vaddps	896(%rbx), %zmm15, %zmm15
	vaddps	960(%rbx), %zmm14, %zmm14
	vmovups	%zmm10, 256(%rbx)
	vmovups	%zmm9, 320(%rbx)
	vmovups	%zmm8, 384(%rbx)
	vmovups	%zmm7, 448(%rbx)
	vmovups	%zmm6, 512(%rbx)
	vmovups	%zmm5, 576(%rbx)
	vmovups	%zmm19, 640(%rbx)
	vmovups	%zmm18, 704(%rbx)
	vmovups	%zmm17, 768(%rbx)
	vmovups	%zmm16, 832(%rbx)
	vmovups	%zmm15, 896(%rbx)
	vmovups	%zmm14, 960(%rbx)
	vaddps	1024(%rbx), %zmm13, %zmm13
	vmovups	1088(%rbx), %zmm1
	vmovups	%zmm13, 1024(%rbx)
.L3512:
	vaddps	%zmm20, %zmm1, %zmm1
	vmovups	%zmm1, 1088(%rbx)
	movl	16(%r14), %edi
	movq	80(%r15), %r9
	jmp	.L3492
.L3511:
	vaddps	%zmm0, %zmm4, %zmm4
	vaddps	%zmm0, %zmm3, %zmm3
	vxorps	%xmm1, %xmm1, %xmm1
	vaddps	%zmm0, %zmm12, %zmm12
	vaddps	%zmm0, %zmm11, %zmm11
	vaddps	%zmm0, %zmm10, %zmm10
	vaddps	%zmm0, %zmm9, %zmm9
	vaddps	%zmm0, %zmm8, %zmm8
	vaddps	%zmm0, %zmm7, %zmm7
	vmovups	%zmm4, (%rbx)
	vaddps	%zmm0, %zmm6, %zmm6
	vaddps	%zmm0, %zmm5, %zmm5
	vmovups	%zmm3, 64(%rbx)
	vaddps	%zmm0, %zmm19, %zmm19
	vaddps	%zmm0, %zmm18, %zmm18
	vmovups	%zmm12, 128(%rbx)
	vaddps	%zmm0, %zmm17, %zmm17
	vaddps	%zmm0, %zmm16, %zmm16
	vmovups	%zmm11, 192(%rbx)
	vaddps	%zmm0, %zmm15, %zmm15
	vaddps	%zmm0, %zmm14, %zmm14
	vmovups	%zmm10, 256(%rbx)
	vmovups	%zmm9, 320(%rbx)
	vaddps	%zmm0, %zmm13, %zmm13
	vmovups	%zmm8, 384(%rbx)
	vmovups	%zmm7, 448(%rbx)
	vmovups	%zmm6, 512(%rbx)
	vmovups	%zmm5, 576(%rbx)
	vmovups	%zmm19, 640(%rbx)
	vmovups	%zmm18, 704(%rbx)
	vmovups	%zmm17, 768(%rbx)
	vmovups	%zmm16, 832(%rbx)
	vmovups	%zmm15, 896(%rbx)
	vmovups	%zmm14, 960(%rbx)
	vmovups	%zmm13, 1024(%rbx)
	jmp	.L3512
.L3772:
	vxorps	%xmm22, %xmm22, %xmm22
	leaq	(%r10,%r10,4), %rcx
	movq	152(%rsp), %rax
	leaq	(%rdx,%rcx,8), %rcx
	vmovaps	%zmm22, %zmm13
	vmovaps	%zmm22, %zmm14
	vmovaps	%zmm22, %zmm15
	vmovaps	%zmm22, %zmm16
	vmovaps	%zmm22, %zmm17
	vmovaps	%zmm22, %zmm18
	vmovaps	%zmm22, %zmm19
	vmovaps	%zmm22, %zmm20
	vmovaps	%zmm22, %zmm21
	vmovaps	%zmm22, %zmm3
	vmovaps	%zmm22, %zmm4
	vmovaps	%zmm22, %zmm5
	vmovaps	%zmm22, %zmm6
	vmovaps	%zmm22, %zmm7
	vmovaps	%zmm22, %zmm8
	vmovaps	%zmm22, %zmm9
	vmovaps	%zmm22, %zmm10
	vmovaps	%zmm22, %zmm11
	vmovaps	%zmm22, %zmm12
.L3506:
	vpbroadcastd	(%rdx), %zmm23
	addq	$40, %rdx
	prefetcht0	(%rax)
	prefetcht0	64(%rax)
	vmovups	-4096(%rax), %zmm2
	subq	$-128, %rax
	vmovups	-4160(%rax), %zmm1
	vdpbf16ps	%zmm23, %zmm2, %zmm12
	vdpbf16ps	%zmm23, %zmm1, %zmm11
	vpbroadcastd	-36(%rdx), %zmm23
	vdpbf16ps	%zmm23, %zmm2, %zmm10
	vdpbf16ps	%zmm23, %zmm1, %zmm9
	vpbroadcastd	-32(%rdx), %zmm23
	vdpbf16ps	%zmm23, %zmm2, %zmm8
	vdpbf16ps	%zmm23, %zmm1, %zmm7
	vpbroadcastd	-28(%rdx), %zmm23
	vdpbf16ps	%zmm23, %zmm2, %zmm6
	vdpbf16ps	%zmm23, %zmm1, %zmm5
	vpbroadcastd	-24(%rdx), %zmm23
	vdpbf16ps	%zmm23, %zmm2, %zmm4
	vdpbf16ps	%zmm23, %zmm1, %zmm3
	vpbroadcastd	-20(%rdx), %zmm23
	vdpbf16ps	%zmm23, %zmm2, %zmm21
	vdpbf16ps	%zmm23, %zmm1, %zmm20
	vpbroadcastd	-16(%rdx), %zmm23
	vdpbf16ps	%zmm23, %zmm2, %zmm19
	vdpbf16ps	%zmm23, %zmm1, %zmm18
	vpbroadcastd	-12(%rdx), %zmm23
	vdpbf16ps	%zmm23, %zmm2, %zmm17
	vdpbf16ps	%zmm23, %zmm1, %zmm16
	vpbroadcastd	-8(%rdx), %zmm23
	vdpbf16ps	%zmm23, %zmm2, %zmm15
	vdpbf16ps	%zmm23, %zmm1, %zmm14
	vpbroadcastd	-4(%rdx), %zmm23
	vdpbf16ps	%zmm23, %zmm2, %zmm13
	vdpbf16ps	%zmm23, %zmm1, %zmm22
	cmpq	%rcx, %rdx
	jne	.L3506
	testq	%r12, %r12
	je	.L3507
	vaddps	(%rbx), %zmm12, %zmm12
	vaddps	64(%rbx), %zmm11, %zmm11
	vaddps	128(%rbx), %zmm10, %zmm10
	vaddps	192(%rbx), %zmm9, %zmm9
	vaddps	256(%rbx), %zmm8, %zmm8
	vaddps	320(%rbx), %zmm7, %zmm7
	vaddps	384(%rbx), %zmm6, %zmm6
	vmovups	%zmm12, (%rbx)
	vaddps	448(%rbx), %zmm5, %zmm5
	vaddps	512(%rbx), %zmm4, %zmm4
	vaddps	576(%rbx), %zmm3, %zmm3
	vmovups	%zmm11, 64(%rbx)
	vaddps	640(%rbx), %zmm21, %zmm21
	vaddps	704(%rbx), %zmm20, %zmm20
	vmovups	%zmm10, 128(%rbx)
	vaddps	768(%rbx), %zmm19, %zmm19
	vaddps	832(%rbx), %zmm18, %zmm18
	vmovups	%zmm9, 192(%rbx)
	vaddps	896(%rbx), %zmm17, %zmm17
	vaddps	960(%rbx), %zmm16, %zmm16
	vmovups	%zmm8, 256(%rbx)
	vmovups	%zmm7, 320(%rbx)
	vmovups	%zmm6, 384(%rbx)
	vmovups	%zmm5, 448(%rbx)
	vmovups	%zmm4, 512(%rbx)
	vmovups	%zmm3, 576(%rbx)
	vmovups	%zmm21, 640(%rbx)
	vmovups	%zmm20, 704(%rbx)
	vmovups	%zmm19, 768(%rbx)
	vmovups	%zmm18, 832(%rbx)
	vmovups	%zmm17, 896(%rbx)
	vmovups	%zmm16, 960(%rbx)
	vaddps	1024(%rbx), %zmm15, %zmm15
	vaddps	1088(%rbx), %zmm14, %zmm14
	vaddps	1152(%rbx), %zmm13, %zmm13
	vmovups	1216(%rbx), %zmm1
	vmovups	%zmm15, 1024(%rbx)
	vmovups	%zmm14, 1088(%rbx)
	vmovups	%zmm13, 1152(%rbx)
.L3508:
	vaddps	%zmm22, %zmm1, %zmm1
	vmovups	%zmm1, 1216(%rbx)
	movl	16(%r14), %edi
	movq	80(%r15), %r9
	jmp	.L3492
.L3507:
	vaddps	%zmm0, %zmm12, %zmm12
	vaddps	%zmm0, %zmm11, %zmm11
	vxorps	%xmm1, %xmm1, %xmm1
	vaddps	%zmm0, %zmm10, %zmm10
	vaddps	%zmm0, %zmm9, %zmm9
	vaddps	%zmm0, %zmm8, %zmm8
	vaddps	%zmm0, %zmm7, %zmm7
	vaddps	%zmm0, %zmm6, %zmm6
	vaddps	%zmm0, %zmm5, %zmm5
	vmovups	%zmm12, (%rbx)
	vaddps	%zmm0, %zmm4, %zmm4
	vaddps	%zmm0, %zmm3, %zmm3
	vmovups	%zmm11, 64(%rbx)
	vaddps	%zmm0, %zmm21, %zmm21
	vaddps	%zmm0, %zmm20, %zmm20
	vmovups	%zmm10, 128(%rbx)
	vaddps	%zmm0, %zmm19, %zmm19
	vaddps	%zmm0, %zmm18, %zmm18
	vmovups	%zmm9, 192(%rbx)
	vaddps	%zmm0, %zmm17, %zmm17
	vaddps	%zmm0, %zmm16, %zmm16
	vmovups	%zmm8, 256(%rbx)
	vaddps	%zmm0, %zmm15, %zmm15
	vaddps	%zmm0, %zmm14, %zmm14
	vmovups	%zmm7, 320(%rbx)
	vmovups	%zmm6, 384(%rbx)
	vaddps	%zmm0, %zmm13, %zmm13
	vmovups	%zmm5, 448(%rbx)
	vmovups	%zmm4, 512(%rbx)
	vmovups	%zmm3, 576(%rbx)
	vmovups	%zmm21, 640(%rbx)
	vmovups	%zmm20, 704(%rbx)
	vmovups	%zmm19, 768(%rbx)
	vmovups	%zmm18, 832(%rbx)
	vmovups	%zmm17, 896(%rbx)
	vmovups	%zmm16, 960(%rbx)
	vmovups	%zmm15, 1024(%rbx)
	vmovups	%zmm14, 1088(%rbx)
	vmovups	%zmm13, 1152(%rbx)
	jmp	.L3508
.L3779:
	vxorps	%xmm8, %xmm8, %xmm8
	leaq	(%r10,%r10,2), %rcx
	movq	152(%rsp), %rax
	leaq	(%rdx,%rcx,4), %rcx
	vmovaps	%zmm8, %zmm1
	vmovaps	%zmm8, %zmm2
	vmovaps	%zmm8, %zmm3
	vmovaps	%zmm8, %zmm4
	vmovaps	%zmm8, %zmm5
.L3534:
	vpbroadcastd	(%rdx), %zmm9
	addq	$12, %rdx
	prefetcht0	(%rax)
	prefetcht0	64(%rax)
	vmovups	-4096(%rax), %zmm7
	subq	$-128, %rax
	vmovups	-4160(%rax), %zmm6
	vdpbf16ps	%zmm9, %zmm7, %zmm5
	vdpbf16ps	%zmm9, %zmm6, %zmm4
	vpbroadcastd	-8(%rdx), %zmm9
	vdpbf16ps	%zmm9, %zmm7, %zmm3
	vdpbf16ps	%zmm9, %zmm6, %zmm2
	vpbroadcastd	-4(%rdx), %zmm9
	vdpbf16ps	%zmm9, %zmm7, %zmm1
	vdpbf16ps	%zmm9, %zmm6, %zmm8
	cmpq	%rdx, %rcx
	jne	.L3534
	testq	%r12, %r12
	je	.L3535
	vaddps	256(%rbx), %zmm1, %zmm1
	vaddps	(%rbx), %zmm5, %zmm5
	vaddps	64(%rbx), %zmm4, %zmm4
	vaddps	128(%rbx), %zmm3, %zmm3
	vaddps	192(%rbx), %zmm2, %zmm2
	vmovups	%zmm1, 256(%rbx)
	vmovups	320(%rbx), %zmm1
	vmovups	%zmm5, (%rbx)
	vmovups	%zmm4, 64(%rbx)
	vmovups	%zmm3, 128(%rbx)
	vmovups	%zmm2, 192(%rbx)
.L3536:
	vaddps	%zmm8, %zmm1, %zmm1
	vmovups	%zmm1, 320(%rbx)
	movl	16(%r14), %edi
	movq	80(%r15), %r9
	jmp	.L3492
.L3778:
	movq	%r10, %rcx
	vxorps	%xmm10, %xmm10, %xmm10
	leaq	4160(%r13), %rax
	salq	$4, %rcx
	vmovaps	%zmm10, %zmm1
	vmovaps	%zmm10, %zmm2
	addq	%rdx, %rcx
	vmovaps	%zmm10, %zmm3
	vmovaps	%zmm10, %zmm4
	vmovaps	%zmm10, %zmm5
	vmovaps	%zmm10, %zmm6
	vmovaps	%zmm10, %zmm7
.L3530:
	vpbroadcastd	(%rdx), %zmm11
	addq	$16, %rdx
	prefetcht0	-64(%rax)
	prefetcht0	(%rax)
	vmovups	-4160(%rax), %zmm9
	subq	$-128, %rax
	vmovups	-4224(%rax), %zmm8
	vdpbf16ps	%zmm11, %zmm9, %zmm7
	vdpbf16ps	%zmm11, %zmm8, %zmm6
	vpbroadcastd	-12(%rdx), %zmm11
	vdpbf16ps	%zmm11, %zmm9, %zmm5
	vdpbf16ps	%zmm11, %zmm8, %zmm4
	vpbroadcastd	-8(%rdx), %zmm11
	vdpbf16ps	%zmm11, %zmm9, %zmm3
	vdpbf16ps	%zmm11, %zmm8, %zmm2
	vpbroadcastd	-4(%rdx), %zmm11
	vdpbf16ps	%zmm11, %zmm9, %zmm1
	vdpbf16ps	%zmm11, %zmm8, %zmm10
	cmpq	%rdx, %rcx
	jne	.L3530
	testq	%r12, %r12
	je	.L3531
	vaddps	384(%rbx), %zmm1, %zmm1
	vaddps	(%rbx), %zmm7, %zmm7
	vaddps	64(%rbx), %zmm6, %zmm6
	vaddps	128(%rbx), %zmm5, %zmm5
	vaddps	192(%rbx), %zmm4, %zmm4
	vaddps	256(%rbx), %zmm3, %zmm3
	vaddps	320(%rbx), %zmm2, %zmm2
	vmovups	%zmm7, (%rbx)
	vmovups	%zmm1, 384(%rbx)
	vmovups	448(%rbx), %zmm1
	vmovups	%zmm6, 64(%rbx)
	vmovups	%zmm5, 128(%rbx)
	vmovups	%zmm4, 192(%rbx)
	vmovups	%zmm3, 256(%rbx)
	vmovups	%zmm2, 320(%rbx)
.L3532:
	vaddps	%zmm10, %zmm1, %zmm1
	vmovups	%zmm1, 448(%rbx)
	movl	16(%r14), %edi
	movq	80(%r15), %r9
	jmp	.L3492
.L3535:
	vaddps	%zmm0, %zmm1, %zmm1
	vaddps	%zmm0, %zmm5, %zmm5
	vaddps	%zmm0, %zmm4, %zmm4
	vaddps	%zmm0, %zmm3, %zmm3
	vaddps	%zmm0, %zmm2, %zmm2
	vmovups	%zmm1, 256(%rbx)
	vxorps	%xmm1, %xmm1, %xmm1
	vmovups	%zmm5, (%rbx)
	vmovups	%zmm4, 64(%rbx)
	vmovups	%zmm3, 128(%rbx)
	vmovups	%zmm2, 192(%rbx)
	jmp	.L3536
.L3531:
	vaddps	%zmm0, %zmm1, %zmm1
	vaddps	%zmm0, %zmm7, %zmm7
	vaddps	%zmm0, %zmm6, %zmm6
	vaddps	%zmm0, %zmm5, %zmm5
	vaddps	%zmm0, %zmm4, %zmm4
	vaddps	%zmm0, %zmm3, %zmm3
	vaddps	%zmm0, %zmm2, %zmm2
	vmovups	%zmm7, (%rbx)
	vmovups	%zmm1, 384(%rbx)
	vxorps	%xmm1, %xmm1, %xmm1
	vmovups	%zmm6, 64(%rbx)
	vmovups	%zmm5, 128(%rbx)
	vmovups	%zmm4, 192(%rbx)
	vmovups	%zmm3, 256(%rbx)
	vmovups	%zmm2, 320(%rbx)
	jmp	.L3532
.L3777:
	vxorps	%xmm12, %xmm12, %xmm12
	leaq	(%r10,%r10,4), %rcx
	movq	152(%rsp), %rax
	leaq	(%rdx,%rcx,4), %rcx
	vmovaps	%zmm12, %zmm3
	vmovaps	%zmm12, %zmm4
	vmovaps	%zmm12, %zmm5
	vmovaps	%zmm12, %zmm6
	vmovaps	%zmm12, %zmm7
	vmovaps	%zmm12, %zmm8
	vmovaps	%zmm12, %zmm9
	vmovaps	%zmm12, %zmm10
	vmovaps	%zmm12, %zmm11
.L3526:
	vpbroadcastd	(%rdx), %zmm13
	addq	$20, %rdx
	prefetcht0	(%rax)
	prefetcht0	64(%rax)
	vmovups	-4096(%rax), %zmm2
	subq	$-128, %rax
	vmovups	-4160(%rax), %zmm1
	vdpbf16ps	%zmm13, %zmm2, %zmm11
	vdpbf16ps	%zmm13, %zmm1, %zmm10
	vpbroadcastd	-16(%rdx), %zmm13
	vdpbf16ps	%zmm13, %zmm2, %zmm9
	vdpbf16ps	%zmm13, %zmm1, %zmm8
	vpbroadcastd	-12(%rdx), %zmm13
	vdpbf16ps	%zmm13, %zmm2, %zmm7
	vdpbf16ps	%zmm13, %zmm1, %zmm6
	vpbroadcastd	-8(%rdx), %zmm13
	vdpbf16ps	%zmm13, %zmm2, %zmm5
	vdpbf16ps	%zmm13, %zmm1, %zmm4
	vpbroadcastd	-4(%rdx), %zmm13
	vdpbf16ps	%zmm13, %zmm2, %zmm3
	vdpbf16ps	%zmm13, %zmm1, %zmm12
	cmpq	%rcx, %rdx
	jne	.L3526
	testq	%r12, %r12
	je	.L3527
	vaddps	(%rbx), %zmm11, %zmm11
	vaddps	64(%rbx), %zmm10, %zmm10
	vaddps	128(%rbx), %zmm9, %zmm9
	vaddps	192(%rbx), %zmm8, %zmm8
	vaddps	256(%rbx), %zmm7, %zmm7
	vaddps	320(%rbx), %zmm6, %zmm6
	vaddps	384(%rbx), %zmm5, %zmm5
	vmovups	%zmm11, (%rbx)
	vaddps	448(%rbx), %zmm4, %zmm4
	vaddps	512(%rbx), %zmm3, %zmm3
	vmovups	576(%rbx), %zmm1
	vmovups	%zmm10, 64(%rbx)
	vmovups	%zmm9, 128(%rbx)
	vmovups	%zmm8, 192(%rbx)
	vmovups	%zmm7, 256(%rbx)
	vmovups	%zmm6, 320(%rbx)
	vmovups	%zmm5, 384(%rbx)
	vmovups	%zmm4, 448(%rbx)
	vmovups	%zmm3, 512(%rbx)
.L3528:
	vaddps	%zmm12, %zmm1, %zmm1
	vmovups	%zmm1, 576(%rbx)
	movl	16(%r14), %edi
	movq	80(%r15), %r9
	jmp	.L3492
.L3776:
	vxorps	%xmm14, %xmm14, %xmm14
	leaq	(%r10,%r10,2), %rcx
	movq	152(%rsp), %rax
	leaq	(%rdx,%rcx,8), %rcx
	vmovaps	%zmm14, %zmm9
	vmovaps	%zmm14, %zmm10
	vmovaps	%zmm14, %zmm11
	vmovaps	%zmm14, %zmm12
	vmovaps	%zmm14, %zmm13
	vmovaps	%zmm14, %zmm3
	vmovaps	%zmm14, %zmm4
	vmovaps	%zmm14, %zmm5
	vmovaps	%zmm14, %zmm6
	vmovaps	%zmm14, %zmm7
	vmovaps	%zmm14, %zmm8
.L3522:
	vpbroadcastd	(%rdx), %zmm15
	addq	$24, %rdx
	prefetcht0	(%rax)
	prefetcht0	64(%rax)
	vmovups	-4096(%rax), %zmm2
	subq	$-128, %rax
	vmovups	-4160(%rax), %zmm1
	vdpbf16ps	%zmm15, %zmm2, %zmm8
	vdpbf16ps	%zmm15, %zmm1, %zmm7
	vpbroadcastd	-20(%rdx), %zmm15
	vdpbf16ps	%zmm15, %zmm2, %zmm6
	vdpbf16ps	%zmm15, %zmm1, %zmm5
	vpbroadcastd	-16(%rdx), %zmm15
	vdpbf16ps	%zmm15, %zmm2, %zmm4
	vdpbf16ps	%zmm15, %zmm1, %zmm3
	vpbroadcastd	-12(%rdx), %zmm15
	vdpbf16ps	%zmm15, %zmm2, %zmm13
	vdpbf16ps	%zmm15, %zmm1, %zmm12
	vpbroadcastd	-8(%rdx), %zmm15
	vdpbf16ps	%zmm15, %zmm2, %zmm11
	vdpbf16ps	%zmm15, %zmm1, %zmm10
	vpbroadcastd	-4(%rdx), %zmm15
	vdpbf16ps	%zmm15, %zmm2, %zmm9
	vdpbf16ps	%zmm15, %zmm1, %zmm14
	cmpq	%rcx, %rdx
	jne	.L3522
	testq	%r12, %r12
	je	.L3523
	vaddps	(%rbx), %zmm8, %zmm8
	vaddps	64(%rbx), %zmm7, %zmm7
	vaddps	128(%rbx), %zmm6, %zmm6
	vaddps	192(%rbx), %zmm5, %zmm5
	vaddps	256(%rbx), %zmm4, %zmm4
	vaddps	320(%rbx), %zmm3, %zmm3
	vaddps	384(%rbx), %zmm13, %zmm13
	vmovups	%zmm8, (%rbx)
	vaddps	448(%rbx), %zmm12, %zmm12
	vaddps	512(%rbx), %zmm11, %zmm11
	vaddps	576(%rbx), %zmm10, %zmm10
	vmovups	%zmm7, 64(%rbx)
	vaddps	640(%rbx), %zmm9, %zmm9
	vmovups	704(%rbx), %zmm1
	vmovups	%zmm6, 128(%rbx)
	vmovups	%zmm5, 192(%rbx)
	vmovups	%zmm4, 256(%rbx)
	vmovups	%zmm3, 320(%rbx)
	vmovups	%zmm13, 384(%rbx)
	vmovups	%zmm12, 448(%rbx)
	vmovups	%zmm11, 512(%rbx)
	vmovups	%zmm10, 576(%rbx)
	vmovups	%zmm9, 640(%rbx)
.L3524:
	vaddps	%zmm14, %zmm1, %zmm1
	vmovups	%zmm1, 704(%rbx)
	movl	16(%r14), %edi
	movq	80(%r15), %r9
	jmp	.L3492
.L3523:
	vaddps	%zmm0, %zmm8, %zmm8
	vaddps	%zmm0, %zmm7, %zmm7
	vxorps	%xmm1, %xmm1, %xmm1
	vaddps	%zmm0, %zmm6, %zmm6
	vaddps	%zmm0, %zmm5, %zmm5
	vaddps	%zmm0, %zmm4, %zmm4
	vaddps	%zmm0, %zmm3, %zmm3
	vaddps	%zmm0, %zmm13, %zmm13
	vaddps	%zmm0, %zmm12, %zmm12
	vmovups	%zmm8, (%rbx)
	vaddps	%zmm0, %zmm11, %zmm11
	vaddps	%zmm0, %zmm10, %zmm10
	vmovups	%zmm7, 64(%rbx)
	vmovups	%zmm6, 128(%rbx)
	vaddps	%zmm0, %zmm9, %zmm9
	vmovups	%zmm5, 192(%rbx)
	vmovups	%zmm4, 256(%rbx)
	vmovups	%zmm3, 320(%rbx)
	vmovups	%zmm13, 384(%rbx)
	vmovups	%zmm12, 448(%rbx)
	vmovups	%zmm11, 512(%rbx)
	vmovups	%zmm10, 576(%rbx)
	vmovups	%zmm9, 640(%rbx)
	jmp	.L3524
.L3527:
	vaddps	%zmm0, %zmm11, %zmm11
	vaddps	%zmm0, %zmm10, %zmm10
	vxorps	%xmm1, %xmm1, %xmm1
	vaddps	%zmm0, %zmm9, %zmm9
	vaddps	%zmm0, %zmm8, %zmm8
	vaddps	%zmm0, %zmm7, %zmm7
	vaddps	%zmm0, %zmm6, %zmm6
	vaddps	%zmm0, %zmm5, %zmm5
	vaddps	%zmm0, %zmm4, %zmm4
	vmovups	%zmm11, (%rbx)
	vaddps	%zmm0, %zmm3, %zmm3
	vmovups	%zmm10, 64(%rbx)
	vmovups	%zmm9, 128(%rbx)
	vmovups	%zmm8, 192(%rbx)
	vmovups	%zmm7, 256(%rbx)
	vmovups	%zmm6, 320(%rbx)
	vmovups	%zmm5, 384(%rbx)
	vmovups	%zmm4, 448(%rbx)
	vmovups	%zmm3, 512(%rbx)
	jmp	.L3528
.L3751:
	movq	%r13, %rcx
	jmp	.L3606
	.cfi_endproc
.LFE7129:
	.size	_ZN10torchpaged12_GLOBAL__N_120multiply_panels_withINS0_7Bf16DotEEEvRKNS_12LinearParamsERKNS_8RowBlockEPKcllPc, .-_ZN10torchpaged12_GLOBAL__N_120multiply_panels_withINS0_7Bf16DotEEEvRKNS_12LinearParamsERKNS_8RowBlockEPKcllPc
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_120multiply_panels_withINS0_8FloatDotINS0_13SingleWeightsINS0_7Float16EEEEEEEvRKNS_12LinearParamsERKNS_8RowBlockEPKcllPc, @function
_ZN10torchpaged12_GLOBAL__N_120multiply_panels_withINS0_8FloatDotINS0_13SingleWeightsINS0_7Float16EEEEEEEvRKNS_12LinearParamsERKNS_8RowBlockEPKcllPc:
.LFB7135:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	.cfi_offset 15, -24
	.cfi_offset 14, -32
	.cfi_offset 13, -40
	.cfi_offset 12, -48
	movq	%rcx, %r12
	pushq	%rbx
	.cfi_offset 3, -56
	movq	%r9, %rbx
	andq	$-64, %rsp
	subq	$512, %rsp
	cmpl	$5, 12(%rdi)
	movq	8(%rsi), %rcx
	movq	%rdx, 112(%rsp)
	movq	%r8, 104(%rsp)
	movq	$0, 128(%rsp)
	jne	.L3786
	movq	80(%rdi), %rdx
	leaq	62(%rdx), %rax
	addq	$31, %rdx
	cmovns	%rdx, %rax
	sarq	$5, %rax
	imulq	%rcx, %rax
	leaq	63(,%rax,8), %rcx
	movq	%rcx, %rdx
	sarq	$63, %rdx
	shrq	$58, %rdx
	leaq	(%rcx,%rdx), %rax
	andl	$63, %eax
	subq	%rdx, %rax
	subq	%rax, %rcx
	movq	%rcx, 128(%rsp)
.L3786:
	movq	104(%rsp), %rax
	vxorps	%xmm2, %xmm2, %xmm2
	cmpq	%rax, %r12
	jge	.L4134
	movq	%rdi, %r11
	movq	%rsi, %r10
	movq	%r12, %r15
	movq	%rbx, %r13
.L3787:
	movq	80(%r11), %r14
	testq	%r14, %r14
	jle	.L3789
	movq	%r10, 120(%rsp)
	movl	16(%r10), %r12d
	movq	%r15, %rbx
	movq	$0, 144(%rsp)
.L3960:
	movq	144(%rsp), %rsi
	movq	%r14, %rdi
	movl	$512, %eax
	movq	48(%r11), %r8
	subq	%rsi, %rdi
	cmpq	%rax, %rdi
	cmovg	%rax, %rdi
	movq	%r14, %rax
	imulq	%rbx, %rax
	addq	%rsi, %rax
	salq	$6, %rax
	addq	%rax, %r8
	testl	%r12d, %r12d
	jle	.L4101
	testq	%rsi, %rsi
	leaq	4096(%r8), %rax
	movq	%r11, %r10
	movq	%rbx, 80(%rsp)
	sete	%r15b
	movq	%rax, 152(%rsp)
	movq	120(%rsp), %r11
	xorl	%r9d, %r9d
	jmp	.L3959
.L3790:
	andl	$1, %esi
	cmpl	$1, %esi
	sbbq	%rdx, %rdx
	salq	$7, %rbx
	andq	$-64, %rdx
	subq	$-128, %rdx
	imulq	%rdi, %rdx
	leaq	(%r8,%rdx), %rsi
	movq	%rbx, %rdx
	addq	%r13, %rdx
	cmpq	$14, %rax
	je	.L4183
	cmpq	$13, %rax
	je	.L4184
	cmpq	$12, %rax
	je	.L4185
	cmpq	$11, %rax
	je	.L4186
	cmpq	$10, %rax
	je	.L4187
	cmpq	$9, %rax
	je	.L4188
	cmpq	$8, %rax
	je	.L4189
	cmpq	$7, %rax
	je	.L4190
	cmpq	$6, %rax
	je	.L4191
	cmpq	$5, %rax
	je	.L4192
	cmpq	$4, %rax
	je	.L4193
	cmpq	$3, %rax
	je	.L4194
	cmpq	$2, %rax
	je	.L4195
	cmpq	$1, %rax
	je	.L4196
.L3803:
	cmpl	%r9d, %r12d
	jle	.L4197
.L3959:
	movq	8(%r11), %rbx
	movslq	%r12d, %rcx
	movl	%r9d, %esi
	imulq	%r9, %rbx
	addq	$1, %r9
	movq	%rbx, %rax
	cqto
	idivq	%rcx
	movq	%rax, %rbx
	movq	8(%r11), %rax
	imulq	%r9, %rax
	cqto
	idivq	%rcx
	movq	144(%rsp), %rcx
	movq	%rbx, %rdx
	imulq	%r14, %rdx
	subq	%rbx, %rax
	imulq	%rax, %rcx
	addq	%rcx, %rdx
	movq	128(%rsp), %rcx
	leaq	(%rcx,%rdx,4), %rcx
	movq	112(%rsp), %rdx
	addq	%rdx, %rcx
	cmpl	$1, %r12d
	jne	.L3790
	cmpq	$14, %rax
	je	.L4198
	cmpq	$13, %rax
	je	.L4199
	cmpq	$12, %rax
	je	.L4200
	cmpq	$11, %rax
	je	.L4201
	cmpq	$10, %rax
	je	.L4202
	cmpq	$9, %rax
	je	.L4203
	cmpq	$8, %rax
	je	.L4204
	cmpq	$7, %rax
	je	.L4205
	cmpq	$6, %rax
	je	.L4206
	cmpq	$5, %rax
	je	.L4207
	cmpq	$4, %rax
	je	.L4208
	cmpq	$3, %rax
	je	.L4209
	cmpq	$2, %rax
	je	.L4210
	cmpq	$1, %rax
	jne	.L3803
	movq	152(%rsp), %rsi
	movl	%r15d, %r14d
	xorl	%eax, %eax
	vxorps	%xmm6, %xmm6, %xmm6
.L3874:
	movq	%rdi, %rdx
	movl	$128, %r12d
	vxorps	%xmm0, %xmm0, %xmm0
	subq	%rax, %rdx
	leaq	(%rcx,%rax,4), %rbx
	vmovaps	%zmm0, %zmm1
	cmpq	%r12, %rdx
	cmovg	%r12, %rdx
	addq	%rax, %rdx
	leaq	(%rcx,%rdx,4), %r12
	movq	%rsi, %rdx
.L3870:
	vpbroadcastd	(%rbx), %zmm3
	addq	$4, %rbx
	prefetcht0	(%rdx)
	vcvtph2ps	-4096(%rdx), %zmm5
	vcvtph2ps	-4064(%rdx), %zmm4
	addq	$64, %rdx
	vfmadd231ps	%zmm5, %zmm3, %zmm1
	vfmadd231ps	%zmm4, %zmm3, %zmm0
	cmpq	%rbx, %r12
	jne	.L3870
	testb	%r14b, %r14b
	je	.L4211
	vaddps	%zmm6, %zmm1, %zmm1
	vaddps	%zmm6, %zmm0, %zmm0
	vmovups	%zmm1, 0(%r13)
.L4148:
	subq	$-128, %rax
	vmovups	%zmm0, 64(%r13)
	addq	$8192, %rsi
	cmpq	%rax, %rdi
	jle	.L3795
	xorl	%r14d, %r14d
	jmp	.L3874
.L4183:
	movq	%r9, 136(%rsp)
	xorl	%r14d, %r14d
	movq	%rcx, %r9
	movq	%r10, 96(%rsp)
	movl	%r15d, %r10d
.L3881:
	movq	%r14, %rcx
	movq	%rdi, %r12
	movl	$128, %eax
	movq	%rsi, %rbx
	salq	$6, %rcx
	subq	%r14, %r12
	vxorps	%xmm4, %xmm4, %xmm4
	addq	%r8, %rcx
	cmpq	%rax, %r12
	vmovaps	%zmm4, %zmm5
	cmovg	%rax, %r12
	vmovaps	%zmm4, %zmm6
	movq	%r9, %rax
	vmovaps	%zmm4, %zmm7
	vmovaps	%zmm4, %zmm8
	salq	$6, %r12
	vmovaps	%zmm4, %zmm9
	vmovaps	%zmm4, %zmm10
	addq	%rsi, %r12
	vmovaps	%zmm4, %zmm11
	vmovaps	%zmm4, %zmm12
	vmovaps	%zmm4, %zmm13
	vmovaps	%zmm4, %zmm14
	vmovaps	%zmm4, %zmm15
	vmovaps	%zmm4, %zmm16
	vmovaps	%zmm4, %zmm17
	vmovaps	%zmm4, %zmm18
	vmovaps	%zmm4, %zmm19
	vmovaps	%zmm4, %zmm20
	vmovaps	%zmm4, %zmm21
	vmovaps	%zmm4, %zmm22
	vmovaps	%zmm4, %zmm23
	vmovaps	%zmm4, %zmm24
	vmovaps	%zmm4, %zmm25
	vmovaps	%zmm4, %zmm26
	vmovaps	%zmm4, %zmm27
	vmovaps	%zmm4, %zmm28
	vmovaps	%zmm4, %zmm29
	vmovaps	%zmm4, %zmm30
	vmovaps	%zmm4, %zmm31
	.p2align 4,,10
	.p2align 3
.L3877:
	prefetcht1	(%rbx)
	addq	$64, %rbx
	vpbroadcastd	(%rax), %zmm3
	vcvtph2ps	(%rcx), %zmm1
	vcvtph2ps	32(%rcx), %zmm0
	vfmadd231ps	%zmm1, %zmm3, %zmm31
	addq	$64, %rcx
	addq	$56, %rax
	vfmadd231ps	%zmm0, %zmm3, %zmm30
	vpbroadcastd	-52(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm29
	vfmadd231ps	%zmm0, %zmm3, %zmm28
	vpbroadcastd	-48(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm27
	vfmadd231ps	%zmm0, %zmm3, %zmm26
	vpbroadcastd	-44(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm25
	vfmadd231ps	%zmm0, %zmm3, %zmm24
	vpbroadcastd	-40(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm23
	vfmadd231ps	%zmm0, %zmm3, %zmm22
	vpbroadcastd	-36(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm21
	vfmadd231ps	%zmm0, %zmm3, %zmm20
	vpbroadcastd	-32(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm19
	vfmadd231ps	%zmm0, %zmm3, %zmm18
	vpbroadcastd	-28(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm17
	vfmadd231ps	%zmm0, %zmm3, %zmm16
	vpbroadcastd	-24(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm15
	vfmadd231ps	%zmm0, %zmm3, %zmm14
	vpbroadcastd	-20(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm13
	vfmadd231ps	%zmm0, %zmm3, %zmm12
	vpbroadcastd	-16(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm11
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	-12(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm9
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	-8(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm7
	vfmadd231ps	%zmm0, %zmm3, %zmm6
	vpbroadcastd	-4(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm5
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	cmpq	%r12, %rbx
	jne	.L3877
	testb	%r10b, %r10b
	jne	.L3878
	vaddps	(%rdx), %zmm31, %zmm31
	vaddps	64(%rdx), %zmm30, %zmm30
	vaddps	128(%rdx), %zmm29, %zmm29
	vaddps	192(%rdx), %zmm28, %zmm28
	vaddps	256(%rdx), %zmm27, %zmm27
	vaddps	320(%rdx), %zmm26, %zmm26
	vaddps	384(%rdx), %zmm25, %zmm25
	vmovups	%zmm31, (%rdx)
	vaddps	448(%rdx), %zmm24, %zmm24
	vaddps	512(%rdx), %zmm23, %zmm23
	vaddps	576(%rdx), %zmm22, %zmm22
	vmovups	%zmm30, 64(%rdx)
	vaddps	640(%rdx), %zmm21, %zmm21
	vaddps	704(%rdx), %zmm20, %zmm20
	vmovups	%zmm29, 128(%rdx)
	vaddps	768(%rdx), %zmm19, %zmm19
	vaddps	832(%rdx), %zmm18, %zmm18
	vmovups	%zmm28, 192(%rdx)
	vaddps	896(%rdx), %zmm17, %zmm17
	vaddps	960(%rdx), %zmm16, %zmm16
	vmovups	%zmm27, 256(%rdx)
	vmovups	%zmm26, 320(%rdx)
	vmovups	%zmm25, 384(%rdx)
	vmovups	%zmm24, 448(%rdx)
	vmovups	%zmm23, 512(%rdx)
	vmovups	%zmm22, 576(%rdx)
	vmovups	%zmm21, 640(%rdx)
	vmovups	%zmm20, 704(%rdx)
	vmovups	%zmm19, 768(%rdx)
	vmovups	%zmm18, 832(%rdx)
	vmovups	%zmm17, 896(%rdx)
	vmovups	%zmm16, 960(%rdx)
	vaddps	1024(%rdx), %zmm15, %zmm15
	vaddps	1088(%rdx), %zmm14, %zmm14
	vaddps	1152(%rdx), %zmm13, %zmm13
	vaddps	1216(%rdx), %zmm12, %zmm12
	vaddps	1280(%rdx), %zmm11, %zmm11
	vaddps	1344(%rdx), %zmm10, %zmm10
	vaddps	1408(%rdx), %zmm9, %zmm9
	vaddps	1472(%rdx), %zmm8, %zmm8
	vmovups	%zmm15, 1024(%rdx)
	vaddps	1536(%rdx), %zmm7, %zmm7
	vaddps	1600(%rdx), %zmm6, %zmm6
	vmovups	%zmm14, 1088(%rdx)
	vaddps	1664(%rdx), %zmm5, %zmm5
	vaddps	1728(%rdx), %zmm4, %zmm4
	vmovups	%zmm13, 1152(%rdx)
	vmovups	%zmm12, 1216(%rdx)
	vmovups	%zmm11, 1280(%rdx)
	vmovups	%zmm10, 1344(%rdx)
	vmovups	%zmm9, 1408(%rdx)
	vmovups	%zmm8, 1472(%rdx)
	vmovups	%zmm7, 1536(%rdx)
	vmovups	%zmm6, 1600(%rdx)
	vmovups	%zmm5, 1664(%rdx)
.L4157:
	subq	$-128, %r14
	addq	$8192, %rsi
	vmovups	%zmm4, 1728(%rdx)
	addq	$7168, %r9
	cmpq	%r14, %rdi
	jle	.L4116
	xorl	%r10d, %r10d
	jmp	.L3881
.L3878:
	vaddps	%zmm2, %zmm31, %zmm31
	vaddps	%zmm2, %zmm30, %zmm30
	vaddps	%zmm2, %zmm29, %zmm29
	vaddps	%zmm2, %zmm28, %zmm28
	vaddps	%zmm2, %zmm27, %zmm27
	vaddps	%zmm2, %zmm26, %zmm26
	vaddps	%zmm2, %zmm25, %zmm25
	vaddps	%zmm2, %zmm24, %zmm24
	vmovups	%zmm31, (%rdx)
	vaddps	%zmm2, %zmm23, %zmm23
	vaddps	%zmm2, %zmm22, %zmm22
	vmovups	%zmm30, 64(%rdx)
	vaddps	%zmm2, %zmm21, %zmm21
	vaddps	%zmm2, %zmm20, %zmm20
	vmovups	%zmm29, 128(%rdx)
	vaddps	%zmm2, %zmm19, %zmm19
	vaddps	%zmm2, %zmm18, %zmm18
	vmovups	%zmm28, 192(%rdx)
	vaddps	%zmm2, %zmm17, %zmm17
	vaddps	%zmm2, %zmm16, %zmm16
	vmovups	%zmm27, 256(%rdx)
	vaddps	%zmm2, %zmm15, %zmm15
	vaddps	%zmm2, %zmm14, %zmm14
	vmovups	%zmm26, 320(%rdx)
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vmovups	%zmm25, 384(%rdx)
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vmovups	%zmm24, 448(%rdx)
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vmovups	%zmm23, 512(%rdx)
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vmovups	%zmm22, 576(%rdx)
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vmovups	%zmm21, 640(%rdx)
	vmovups	%zmm20, 704(%rdx)
	vmovups	%zmm19, 768(%rdx)
	vmovups	%zmm18, 832(%rdx)
	vmovups	%zmm17, 896(%rdx)
	vmovups	%zmm16, 960(%rdx)
	vmovups	%zmm15, 1024(%rdx)
	vmovups	%zmm14, 1088(%rdx)
	vmovups	%zmm13, 1152(%rdx)
	vmovups	%zmm12, 1216(%rdx)
	vmovups	%zmm11, 1280(%rdx)
	vmovups	%zmm10, 1344(%rdx)
	vmovups	%zmm9, 1408(%rdx)
	vmovups	%zmm8, 1472(%rdx)
	vmovups	%zmm7, 1536(%rdx)
	vmovups	%zmm6, 1600(%rdx)
	vmovups	%zmm5, 1664(%rdx)
	jmp	.L4157
.L4184:
	movq	%r9, 136(%rsp)
	xorl	%r14d, %r14d
	movq	%r8, %r9
	movq	%rdi, %r8
	movq	%r13, 96(%rsp)
	movq	%rcx, %rdi
	movq	%r10, %r13
	movl	%r15d, %r10d
.L3887:
	movq	%r14, %rcx
	movq	%r8, %r12
	movl	$128, %eax
	movq	%rsi, %rbx
	salq	$6, %rcx
	subq	%r14, %r12
	vxorps	%xmm4, %xmm4, %xmm4
	addq	%r9, %rcx
	cmpq	%rax, %r12
	vmovaps	%zmm4, %zmm5
	cmovg	%rax, %r12
	vmovaps	%zmm4, %zmm6
	movq	%rdi, %rax
	vmovaps	%zmm4, %zmm7
	vmovaps	%zmm4, %zmm8
	salq	$6, %r12
	vmovaps	%zmm4, %zmm9
	vmovaps	%zmm4, %zmm10
	addq	%rsi, %r12
	vmovaps	%zmm4, %zmm11
	vmovaps	%zmm4, %zmm12
	vmovaps	%zmm4, %zmm13
	vmovaps	%zmm4, %zmm14
	vmovaps	%zmm4, %zmm15
	vmovaps	%zmm4, %zmm16
	vmovaps	%zmm4, %zmm17
	vmovaps	%zmm4, %zmm18
	vmovaps	%zmm4, %zmm19
	vmovaps	%zmm4, %zmm20
	vmovaps	%zmm4, %zmm21
	vmovaps	%zmm4, %zmm22
	vmovaps	%zmm4, %zmm23
	vmovaps	%zmm4, %zmm24
	vmovaps	%zmm4, %zmm25
	vmovaps	%zmm4, %zmm26
	vmovaps	%zmm4, %zmm27
	vmovaps	%zmm4, %zmm28
	vmovaps	%zmm4, %zmm29
	.p2align 4,,10
	.p2align 3
.L3883:
	prefetcht1	(%rbx)
	addq	$64, %rbx
	vpbroadcastd	(%rax), %zmm3
	vcvtph2ps	(%rcx), %zmm1
	vcvtph2ps	32(%rcx), %zmm0
	vfmadd231ps	%zmm1, %zmm3, %zmm29
	addq	$64, %rcx
	addq	$52, %rax
	vfmadd231ps	%zmm0, %zmm3, %zmm28
	vpbroadcastd	-48(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm27
	vfmadd231ps	%zmm0, %zmm3, %zmm26
	vpbroadcastd	-44(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm25
	vfmadd231ps	%zmm0, %zmm3, %zmm24
	vpbroadcastd	-40(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm23
	vfmadd231ps	%zmm0, %zmm3, %zmm22
	vpbroadcastd	-36(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm21
	vfmadd231ps	%zmm0, %zmm3, %zmm20
	vpbroadcastd	-32(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm19
	vfmadd231ps	%zmm0, %zmm3, %zmm18
	vpbroadcastd	-28(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm17
	vfmadd231ps	%zmm0, %zmm3, %zmm16
	vpbroadcastd	-24(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm15
	vfmadd231ps	%zmm0, %zmm3, %zmm14
	vpbroadcastd	-20(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm13
	vfmadd231ps	%zmm0, %zmm3, %zmm12
	vpbroadcastd	-16(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm11
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	-12(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm9
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	-8(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm7
	vfmadd231ps	%zmm0, %zmm3, %zmm6
	vpbroadcastd	-4(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm5
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	cmpq	%r12, %rbx
	jne	.L3883
	testb	%r10b, %r10b
	jne	.L3884
	vaddps	(%rdx), %zmm29, %zmm29
	vaddps	64(%rdx), %zmm28, %zmm28
	vaddps	128(%rdx), %zmm27, %zmm27
	vaddps	192(%rdx), %zmm26, %zmm26
	vaddps	256(%rdx), %zmm25, %zmm25
	vaddps	320(%rdx), %zmm24, %zmm24
	vaddps	384(%rdx), %zmm23, %zmm23
	vmovups	%zmm29, (%rdx)
	vaddps	448(%rdx), %zmm22, %zmm22
	vaddps	512(%rdx), %zmm21, %zmm21
	vaddps	576(%rdx), %zmm20, %zmm20
	vmovups	%zmm28, 64(%rdx)
	vaddps	640(%rdx), %zmm19, %zmm19
	vaddps	704(%rdx), %zmm18, %zmm18
	vmovups	%zmm27, 128(%rdx)
	vaddps	768(%rdx), %zmm17, %zmm17
	vaddps	832(%rdx), %zmm16, %zmm16
	vmovups	%zmm26, 192(%rdx)
	vaddps	896(%rdx), %zmm15, %zmm15
	vaddps	960(%rdx), %zmm14, %zmm14
	vmovups	%zmm25, 256(%rdx)
	vmovups	%zmm24, 320(%rdx)
	vmovups	%zmm23, 384(%rdx)
	vmovups	%zmm22, 448(%rdx)
	vmovups	%zmm21, 512(%rdx)
	vmovups	%zmm20, 576(%rdx)
	vmovups	%zmm19, 640(%rdx)
	vmovups	%zmm18, 704(%rdx)
	vmovups	%zmm17, 768(%rdx)
	vmovups	%zmm16, 832(%rdx)
	vmovups	%zmm15, 896(%rdx)
	vmovups	%zmm14, 960(%rdx)
	vaddps	1024(%rdx), %zmm13, %zmm13
	vaddps	1088(%rdx), %zmm12, %zmm12
	vaddps	1152(%rdx), %zmm11, %zmm11
	vaddps	1216(%rdx), %zmm10, %zmm10
	vaddps	1280(%rdx), %zmm9, %zmm9
	vaddps	1344(%rdx), %zmm8, %zmm8
	vaddps	1408(%rdx), %zmm7, %zmm7
	vaddps	1472(%rdx), %zmm6, %zmm6
	vmovups	%zmm13, 1024(%rdx)
	vaddps	1536(%rdx), %zmm5, %zmm5
	vaddps	1600(%rdx), %zmm4, %zmm4
	vmovups	%zmm12, 1088(%rdx)
	vmovups	%zmm11, 1152(%rdx)
	vmovups	%zmm10, 1216(%rdx)
	vmovups	%zmm9, 1280(%rdx)
	vmovups	%zmm8, 1344(%rdx)
	vmovups	%zmm7, 1408(%rdx)
	vmovups	%zmm6, 1472(%rdx)
	vmovups	%zmm5, 1536(%rdx)
.L4159:
	subq	$-128, %r14
	addq	$8192, %rsi
	vmovups	%zmm4, 1600(%rdx)
	addq	$6656, %rdi
	cmpq	%r14, %r8
	jle	.L4117
	xorl	%r10d, %r10d
	jmp	.L3887
.L3884:
	vaddps	%zmm2, %zmm29, %zmm29
	vaddps	%zmm2, %zmm28, %zmm28
	vaddps	%zmm2, %zmm27, %zmm27
	vaddps	%zmm2, %zmm26, %zmm26
	vaddps	%zmm2, %zmm25, %zmm25
	vaddps	%zmm2, %zmm24, %zmm24
	vaddps	%zmm2, %zmm23, %zmm23
	vaddps	%zmm2, %zmm22, %zmm22
	vmovups	%zmm29, (%rdx)
	vaddps	%zmm2, %zmm21, %zmm21
	vaddps	%zmm2, %zmm20, %zmm20
	vmovups	%zmm28, 64(%rdx)
	vaddps	%zmm2, %zmm19, %zmm19
	vaddps	%zmm2, %zmm18, %zmm18
	vmovups	%zmm27, 128(%rdx)
	vaddps	%zmm2, %zmm17, %zmm17
	vaddps	%zmm2, %zmm16, %zmm16
	vmovups	%zmm26, 192(%rdx)
	vaddps	%zmm2, %zmm15, %zmm15
	vaddps	%zmm2, %zmm14, %zmm14
	vmovups	%zmm25, 256(%rdx)
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vmovups	%zmm24, 320(%rdx)
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vmovups	%zmm23, 384(%rdx)
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vmovups	%zmm22, 448(%rdx)
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vmovups	%zmm21, 512(%rdx)
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vmovups	%zmm20, 576(%rdx)
	vmovups	%zmm19, 640(%rdx)
	vmovups	%zmm18, 704(%rdx)
	vmovups	%zmm17, 768(%rdx)
	vmovups	%zmm16, 832(%rdx)
	vmovups	%zmm15, 896(%rdx)
	vmovups	%zmm14, 960(%rdx)
	vmovups	%zmm13, 1024(%rdx)
	vmovups	%zmm12, 1088(%rdx)
	vmovups	%zmm11, 1152(%rdx)
	vmovups	%zmm10, 1216(%rdx)
	vmovups	%zmm9, 1280(%rdx)
	vmovups	%zmm8, 1344(%rdx)
	vmovups	%zmm7, 1408(%rdx)
	vmovups	%zmm6, 1472(%rdx)
	vmovups	%zmm5, 1536(%rdx)
	jmp	.L4159
.L4116:
	movq	136(%rsp), %r9
	movq	96(%rsp), %r10
.L3795:
	movl	16(%r11), %r12d
	movq	80(%r10), %r14
	cmpl	%r9d, %r12d
	jg	.L3959
.L4197:
	addq	$512, 144(%rsp)
	movq	144(%rsp), %rax
	movq	%r10, %r11
	movq	80(%rsp), %rbx
	cmpq	%r14, %rax
	jl	.L3960
.L4101:
	movq	120(%rsp), %r10
	movq	%rbx, %r15
.L3789:
	movq	72(%r11), %rsi
	movq	%r15, %rax
	movl	$32, %r14d
	movq	96(%r11), %r12
	salq	$5, %rax
	vpxor	%xmm0, %xmm0, %xmm0
	movq	%r11, 224(%rsp)
	subq	%rax, %rsi
	movq	%rax, 232(%rsp)
	vmovdqu8	%zmm0, 248(%rsp)
	cmpq	%r14, %rsi
	vmovdqu8	%zmm0, 312(%rsp)
	cmovle	%rsi, %r14
	vmovdqu8	%zmm0, 376(%rsp)
	movq	%r14, 240(%rsp)
	vmovdqu8	%zmm0, 440(%rsp)
	testq	%r12, %r12
	je	.L4017
	movl	104(%r11), %edx
	cmpl	$1, %edx
	je	.L3962
	cmpl	$2, %edx
	jne	.L3963
	xorl	%ecx, %ecx
	leaq	160(%rsp), %rdx
	leaq	224(%rsp), %rbx
	vpxor	%xmm1, %xmm1, %xmm1
	testq	%rsi, %rsi
	jle	.L4152
	movq	%r14, %rsi
	jmp	.L3964
.L3975:
	xorl	%edi, %edi
	testb	$4, %sil
	je	.L3978
	movl	(%rax), %edi
	movl	%edi, (%r8)
	movl	$4, %edi
.L3978:
	andl	$2, %esi
	je	.L3980
	movzwl	(%rax,%rdi), %eax
	movw	%ax, (%r8,%rdi)
.L3980:
	vpmovzxwd	160(%rsp), %zmm0
	vpslld	$16, %zmm0, %zmm0
	vmovups	%zmm0, 24(%rbx,%rcx,4)
	movq	240(%rsp), %rsi
	addq	$16, %rcx
	cmpq	%rcx, %rsi
	jle	.L4150
	movq	224(%rsp), %rax
	movq	96(%rax), %r12
	movq	232(%rsp), %rax
.L3964:
	movl	$16, %edi
	subq	%rcx, %rsi
	movq	%rdx, %r8
	vmovdqa	%ymm1, 160(%rsp)
	cmpq	%rdi, %rsi
	cmovg	%rdi, %rsi
	addq	%rcx, %rax
	leaq	(%r12,%rax,2), %rdi
	addq	%rsi, %rsi
	movq	%rdi, %rax
	cmpl	$8, %esi
	jb	.L3975
	movl	%esi, %r9d
	xorl	%eax, %eax
	andl	$-8, %r9d
.L3976:
	movl	%eax, %r8d
	addl	$8, %eax
	movq	(%rdi,%r8), %r12
	movq	%r12, (%rdx,%r8)
	cmpl	%r9d, %eax
	jb	.L3976
	leaq	(%rdx,%rax), %r8
	addq	%rdi, %rax
	jmp	.L3975
.L4117:
	movq	%r8, %rdi
	movq	%r13, %r10
	movq	%r9, %r8
	movq	96(%rsp), %r13
	movq	136(%rsp), %r9
	jmp	.L3795
.L4186:
	movq	%rcx, 136(%rsp)
	movq	%r13, %rax
	xorl	%r14d, %r14d
	movq	%r10, %r13
	movq	%r9, %r10
	movq	%r8, %r9
	movq	%rdi, %r8
	movq	%rax, %rdi
	kmovb	%r15d, %k0
.L3899:
	movq	%r14, %rcx
	movq	%r8, %rax
	movl	$128, %ebx
	salq	$6, %rcx
	subq	%r14, %rax
	vxorps	%xmm4, %xmm4, %xmm4
	addq	%r9, %rcx
	cmpq	%rbx, %rax
	vmovaps	%zmm4, %zmm5
	cmovg	%rbx, %rax
	vmovaps	%zmm4, %zmm6
	movq	%rsi, %rbx
	vmovaps	%zmm4, %zmm7
	vmovaps	%zmm4, %zmm8
	salq	$6, %rax
	vmovaps	%zmm4, %zmm9
	vmovaps	%zmm4, %zmm10
	leaq	(%rax,%rsi), %r12
	movq	136(%rsp), %rax
	vmovaps	%zmm4, %zmm11
	vmovaps	%zmm4, %zmm12
	vmovaps	%zmm4, %zmm13
	vmovaps	%zmm4, %zmm14
	vmovaps	%zmm4, %zmm15
	vmovaps	%zmm4, %zmm16
	vmovaps	%zmm4, %zmm17
	vmovaps	%zmm4, %zmm18
	vmovaps	%zmm4, %zmm19
	vmovaps	%zmm4, %zmm20
	vmovaps	%zmm4, %zmm21
	vmovaps	%zmm4, %zmm22
	vmovaps	%zmm4, %zmm23
	vmovaps	%zmm4, %zmm24
	vmovaps	%zmm4, %zmm25
	.p2align 4,,10
	.p2align 3
.L3895:
	prefetcht1	(%rbx)
	addq	$64, %rbx
	vpbroadcastd	(%rax), %zmm3
	vcvtph2ps	(%rcx), %zmm1
	vcvtph2ps	32(%rcx), %zmm0
	vfmadd231ps	%zmm1, %zmm3, %zmm25
	addq	$64, %rcx
	addq	$44, %rax
	vfmadd231ps	%zmm0, %zmm3, %zmm24
	vpbroadcastd	-40(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm23
	vfmadd231ps	%zmm0, %zmm3, %zmm22
	vpbroadcastd	-36(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm21
	vfmadd231ps	%zmm0, %zmm3, %zmm20
	vpbroadcastd	-32(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm19
	vfmadd231ps	%zmm0, %zmm3, %zmm18
	vpbroadcastd	-28(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm17
	vfmadd231ps	%zmm0, %zmm3, %zmm16
	vpbroadcastd	-24(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm15
	vfmadd231ps	%zmm0, %zmm3, %zmm14
	vpbroadcastd	-20(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm13
	vfmadd231ps	%zmm0, %zmm3, %zmm12
	vpbroadcastd	-16(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm11
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	-12(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm9
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	-8(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm7
	vfmadd231ps	%zmm0, %zmm3, %zmm6
	vpbroadcastd	-4(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm5
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	cmpq	%r12, %rbx
	jne	.L3895
	kortestb	%k0, %k0
	jne	.L3896
	vaddps	(%rdx), %zmm25, %zmm25
	vaddps	64(%rdx), %zmm24, %zmm24
	vaddps	128(%rdx), %zmm23, %zmm23
	vaddps	192(%rdx), %zmm22, %zmm22
	vaddps	256(%rdx), %zmm21, %zmm21
	vaddps	320(%rdx), %zmm20, %zmm20
	vaddps	384(%rdx), %zmm19, %zmm19
	vmovups	%zmm25, (%rdx)
	vaddps	448(%rdx), %zmm18, %zmm18
	vaddps	512(%rdx), %zmm17, %zmm17
	vaddps	576(%rdx), %zmm16, %zmm16
	vmovups	%zmm24, 64(%rdx)
	vaddps	640(%rdx), %zmm15, %zmm15
	vaddps	704(%rdx), %zmm14, %zmm14
	vmovups	%zmm23, 128(%rdx)
	vaddps	768(%rdx), %zmm13, %zmm13
	vaddps	832(%rdx), %zmm12, %zmm12
	vmovups	%zmm22, 192(%rdx)
	vaddps	896(%rdx), %zmm11, %zmm11
	vaddps	960(%rdx), %zmm10, %zmm10
	vmovups	%zmm21, 256(%rdx)
	vmovups	%zmm20, 320(%rdx)
	vmovups	%zmm19, 384(%rdx)
	vmovups	%zmm18, 448(%rdx)
	vmovups	%zmm17, 512(%rdx)
	vmovups	%zmm16, 576(%rdx)
	vmovups	%zmm15, 640(%rdx)
	vmovups	%zmm14, 704(%rdx)
	vmovups	%zmm13, 768(%rdx)
	vmovups	%zmm12, 832(%rdx)
	vmovups	%zmm11, 896(%rdx)
	vmovups	%zmm10, 960(%rdx)
	vaddps	1024(%rdx), %zmm9, %zmm9
	vaddps	1088(%rdx), %zmm8, %zmm8
	vaddps	1152(%rdx), %zmm7, %zmm7
	vaddps	1216(%rdx), %zmm6, %zmm6
	vaddps	1280(%rdx), %zmm5, %zmm5
	vaddps	1344(%rdx), %zmm4, %zmm4
	vmovups	%zmm9, 1024(%rdx)
	vmovups	%zmm8, 1088(%rdx)
	vmovups	%zmm7, 1152(%rdx)
	vmovups	%zmm6, 1216(%rdx)
	vmovups	%zmm5, 1280(%rdx)
.L4163:
	subq	$-128, %r14
	addq	$8192, %rsi
	addq	$5632, 136(%rsp)
	vmovups	%zmm4, 1344(%rdx)
	cmpq	%r14, %r8
	jle	.L4121
	kxorb	%k0, %k0, %k0
	jmp	.L3899
.L3896:
	vaddps	%zmm2, %zmm25, %zmm25
	vaddps	%zmm2, %zmm24, %zmm24
	vaddps	%zmm2, %zmm23, %zmm23
	vaddps	%zmm2, %zmm22, %zmm22
	vaddps	%zmm2, %zmm21, %zmm21
	vaddps	%zmm2, %zmm20, %zmm20
	vaddps	%zmm2, %zmm19, %zmm19
	vaddps	%zmm2, %zmm18, %zmm18
	vmovups	%zmm25, (%rdx)
	vaddps	%zmm2, %zmm17, %zmm17
	vaddps	%zmm2, %zmm16, %zmm16
	vmovups	%zmm24, 64(%rdx)
	vaddps	%zmm2, %zmm15, %zmm15
	vaddps	%zmm2, %zmm14, %zmm14
	vmovups	%zmm23, 128(%rdx)
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vmovups	%zmm22, 192(%rdx)
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vmovups	%zmm21, 256(%rdx)
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vmovups	%zmm20, 320(%rdx)
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vmovups	%zmm19, 384(%rdx)
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vmovups	%zmm18, 448(%rdx)
	vmovups	%zmm17, 512(%rdx)
	vmovups	%zmm16, 576(%rdx)
	vmovups	%zmm15, 640(%rdx)
	vmovups	%zmm14, 704(%rdx)
	vmovups	%zmm13, 768(%rdx)
	vmovups	%zmm12, 832(%rdx)
	vmovups	%zmm11, 896(%rdx)
	vmovups	%zmm10, 960(%rdx)
	vmovups	%zmm9, 1024(%rdx)
	vmovups	%zmm8, 1088(%rdx)
	vmovups	%zmm7, 1152(%rdx)
	vmovups	%zmm6, 1216(%rdx)
	vmovups	%zmm5, 1280(%rdx)
	jmp	.L4163
.L4121:
	movq	%rdi, %rax
	movq	%r8, %rdi
	movq	%r9, %r8
	movq	%r10, %r9
	movq	%r13, %r10
	movq	%rax, %r13
	jmp	.L3795
.L4185:
	movq	%rcx, 136(%rsp)
	movq	%r13, %rax
	xorl	%r14d, %r14d
	movq	%r10, %r13
	movq	%r9, %r10
	movq	%r8, %r9
	movq	%rdi, %r8
	movq	%rax, %rdi
	kmovb	%r15d, %k0
.L3893:
	movq	%r14, %rcx
	movq	%r8, %rax
	movl	$128, %ebx
	salq	$6, %rcx
	subq	%r14, %rax
	vxorps	%xmm4, %xmm4, %xmm4
	addq	%r9, %rcx
	cmpq	%rbx, %rax
	vmovaps	%zmm4, %zmm5
	cmovg	%rbx, %rax
	vmovaps	%zmm4, %zmm6
	movq	%rsi, %rbx
	vmovaps	%zmm4, %zmm7
	vmovaps	%zmm4, %zmm8
	salq	$6, %rax
	vmovaps	%zmm4, %zmm9
	vmovaps	%zmm4, %zmm10
	leaq	(%rax,%rsi), %r12
	movq	136(%rsp), %rax
	vmovaps	%zmm4, %zmm11
	vmovaps	%zmm4, %zmm12
	vmovaps	%zmm4, %zmm13
	vmovaps	%zmm4, %zmm14
	vmovaps	%zmm4, %zmm15
	vmovaps	%zmm4, %zmm16
	vmovaps	%zmm4, %zmm17
	vmovaps	%zmm4, %zmm18
	vmovaps	%zmm4, %zmm19
	vmovaps	%zmm4, %zmm20
	vmovaps	%zmm4, %zmm21
	vmovaps	%zmm4, %zmm22
	vmovaps	%zmm4, %zmm23
	vmovaps	%zmm4, %zmm24
	vmovaps	%zmm4, %zmm25
	vmovaps	%zmm4, %zmm26
	vmovaps	%zmm4, %zmm27
	.p2align 4,,10
	.p2align 3
.L3889:
	prefetcht1	(%rbx)
	addq	$64, %rbx
	vpbroadcastd	(%rax), %zmm3
	vcvtph2ps	(%rcx), %zmm1
	vcvtph2ps	32(%rcx), %zmm0
	vfmadd231ps	%zmm1, %zmm3, %zmm27
	addq	$64, %rcx
	addq	$48, %rax
	vfmadd231ps	%zmm0, %zmm3, %zmm26
	vpbroadcastd	-44(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm25
	vfmadd231ps	%zmm0, %zmm3, %zmm24
	vpbroadcastd	-40(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm23
	vfmadd231ps	%zmm0, %zmm3, %zmm22
	vpbroadcastd	-36(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm21
	vfmadd231ps	%zmm0, %zmm3, %zmm20
	vpbroadcastd	-32(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm19
	vfmadd231ps	%zmm0, %zmm3, %zmm18
	vpbroadcastd	-28(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm17
	vfmadd231ps	%zmm0, %zmm3, %zmm16
	vpbroadcastd	-24(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm15
	vfmadd231ps	%zmm0, %zmm3, %zmm14
	vpbroadcastd	-20(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm13
	vfmadd231ps	%zmm0, %zmm3, %zmm12
	vpbroadcastd	-16(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm11
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	-12(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm9
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	-8(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm7
	vfmadd231ps	%zmm0, %zmm3, %zmm6
	vpbroadcastd	-4(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm5
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	cmpq	%rbx, %r12
	jne	.L3889
	kortestb	%k0, %k0
	jne	.L3890
	vaddps	(%rdx), %zmm27, %zmm27
	vaddps	64(%rdx), %zmm26, %zmm26
	vaddps	128(%rdx), %zmm25, %zmm25
	vaddps	192(%rdx), %zmm24, %zmm24
	vaddps	256(%rdx), %zmm23, %zmm23
	vaddps	320(%rdx), %zmm22, %zmm22
	vaddps	384(%rdx), %zmm21, %zmm21
	vmovups	%zmm27, (%rdx)
	vaddps	448(%rdx), %zmm20, %zmm20
	vaddps	512(%rdx), %zmm19, %zmm19
	vaddps	576(%rdx), %zmm18, %zmm18
	vmovups	%zmm26, 64(%rdx)
	vaddps	640(%rdx), %zmm17, %zmm17
	vaddps	704(%rdx), %zmm16, %zmm16
	vmovups	%zmm25, 128(%rdx)
	vaddps	768(%rdx), %zmm15, %zmm15
	vaddps	832(%rdx), %zmm14, %zmm14
	vmovups	%zmm24, 192(%rdx)
	vaddps	896(%rdx), %zmm13, %zmm13
	vaddps	960(%rdx), %zmm12, %zmm12
	vmovups	%zmm23, 256(%rdx)
	vmovups	%zmm22, 320(%rdx)
	vmovups	%zmm21, 384(%rdx)
	vmovups	%zmm20, 448(%rdx)
	vmovups	%zmm19, 512(%rdx)
	vmovups	%zmm18, 576(%rdx)
	vmovups	%zmm17, 640(%rdx)
	vmovups	%zmm16, 704(%rdx)
	vmovups	%zmm15, 768(%rdx)
	vmovups	%zmm14, 832(%rdx)
	vmovups	%zmm13, 896(%rdx)
	vmovups	%zmm12, 960(%rdx)
	vaddps	1024(%rdx), %zmm11, %zmm11
	vaddps	1088(%rdx), %zmm10, %zmm10
	vaddps	1152(%rdx), %zmm9, %zmm9
	vaddps	1216(%rdx), %zmm8, %zmm8
	vaddps	1280(%rdx), %zmm7, %zmm7
	vaddps	1344(%rdx), %zmm6, %zmm6
	vaddps	1408(%rdx), %zmm5, %zmm5
	vaddps	1472(%rdx), %zmm4, %zmm4
	vmovups	%zmm11, 1024(%rdx)
	vmovups	%zmm10, 1088(%rdx)
	vmovups	%zmm9, 1152(%rdx)
	vmovups	%zmm8, 1216(%rdx)
	vmovups	%zmm7, 1280(%rdx)
	vmovups	%zmm6, 1344(%rdx)
	vmovups	%zmm5, 1408(%rdx)
.L4161:
	subq	$-128, %r14
	addq	$8192, %rsi
	addq	$6144, 136(%rsp)
	vmovups	%zmm4, 1472(%rdx)
	cmpq	%r14, %r8
	jle	.L4121
	kxorb	%k0, %k0, %k0
	jmp	.L3893
.L3890:
	vaddps	%zmm2, %zmm27, %zmm27
	vaddps	%zmm2, %zmm26, %zmm26
	vaddps	%zmm2, %zmm25, %zmm25
	vaddps	%zmm2, %zmm24, %zmm24
	vaddps	%zmm2, %zmm23, %zmm23
	vaddps	%zmm2, %zmm22, %zmm22
	vaddps	%zmm2, %zmm21, %zmm21
	vaddps	%zmm2, %zmm20, %zmm20
	vmovups	%zmm27, (%rdx)
	vaddps	%zmm2, %zmm19, %zmm19
	vaddps	%zmm2, %zmm18, %zmm18
	vmovups	%zmm26, 64(%rdx)
	vaddps	%zmm2, %zmm17, %zmm17
	vaddps	%zmm2, %zmm16, %zmm16
	vmovups	%zmm25, 128(%rdx)
	vaddps	%zmm2, %zmm15, %zmm15
	vaddps	%zmm2, %zmm14, %zmm14
	vmovups	%zmm24, 192(%rdx)
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vmovups	%zmm23, 256(%rdx)
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vmovups	%zmm22, 320(%rdx)
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vmovups	%zmm21, 384(%rdx)
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vmovups	%zmm20, 448(%rdx)
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vmovups	%zmm19, 512(%rdx)
	vmovups	%zmm18, 576(%rdx)
	vmovups	%zmm17, 640(%rdx)
	vmovups	%zmm16, 704(%rdx)
	vmovups	%zmm15, 768(%rdx)
	vmovups	%zmm14, 832(%rdx)
	vmovups	%zmm13, 896(%rdx)
	vmovups	%zmm12, 960(%rdx)
	vmovups	%zmm11, 1024(%rdx)
	vmovups	%zmm10, 1088(%rdx)
	vmovups	%zmm9, 1152(%rdx)
	vmovups	%zmm8, 1216(%rdx)
	vmovups	%zmm7, 1280(%rdx)
	vmovups	%zmm6, 1344(%rdx)
	vmovups	%zmm5, 1408(%rdx)
	jmp	.L4161
.L4191:
	movq	%r9, 136(%rsp)
	movq	%rcx, %r12
	xorl	%r14d, %r14d
	kmovb	%r15d, %k0
.L3929:
	movq	%r14, %rcx
	movq	%rdi, %rax
	movl	$128, %ebx
	salq	$6, %rcx
	subq	%r14, %rax
	vxorps	%xmm4, %xmm4, %xmm4
	addq	%r8, %rcx
	cmpq	%rbx, %rax
	vmovaps	%zmm4, %zmm5
	cmovg	%rbx, %rax
	vmovaps	%zmm4, %zmm6
	movq	%rsi, %rbx
	vmovaps	%zmm4, %zmm7
	vmovaps	%zmm4, %zmm8
	salq	$6, %rax
	vmovaps	%zmm4, %zmm9
	vmovaps	%zmm4, %zmm10
	leaq	(%rax,%rsi), %r9
	vmovaps	%zmm4, %zmm11
	movq	%r12, %rax
	vmovaps	%zmm4, %zmm12
	vmovaps	%zmm4, %zmm13
	vmovaps	%zmm4, %zmm14
	vmovaps	%zmm4, %zmm15
.L3925:
	prefetcht1	(%rbx)
	addq	$64, %rbx
	vpbroadcastd	(%rax), %zmm3
	vcvtph2ps	(%rcx), %zmm1
	vcvtph2ps	32(%rcx), %zmm0
	vfmadd231ps	%zmm1, %zmm3, %zmm15
	addq	$64, %rcx
	addq	$24, %rax
	vfmadd231ps	%zmm0, %zmm3, %zmm14
	vpbroadcastd	-20(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm13
	vfmadd231ps	%zmm0, %zmm3, %zmm12
	vpbroadcastd	-16(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm11
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	-12(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm9
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	-8(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm7
	vfmadd231ps	%zmm0, %zmm3, %zmm6
	vpbroadcastd	-4(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm5
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	cmpq	%rbx, %r9
	jne	.L3925
	kortestb	%k0, %k0
	jne	.L3926
	vaddps	(%rdx), %zmm15, %zmm15
	vaddps	64(%rdx), %zmm14, %zmm14
	vaddps	128(%rdx), %zmm13, %zmm13
	vaddps	192(%rdx), %zmm12, %zmm12
	vaddps	256(%rdx), %zmm11, %zmm11
	vaddps	320(%rdx), %zmm10, %zmm10
	vaddps	384(%rdx), %zmm9, %zmm9
	vmovups	%zmm15, (%rdx)
	vaddps	448(%rdx), %zmm8, %zmm8
	vaddps	512(%rdx), %zmm7, %zmm7
	vaddps	576(%rdx), %zmm6, %zmm6
	vmovups	%zmm14, 64(%rdx)
	vaddps	640(%rdx), %zmm5, %zmm5
	vaddps	704(%rdx), %zmm4, %zmm4
	vmovups	%zmm13, 128(%rdx)
	vmovups	%zmm12, 192(%rdx)
	vmovups	%zmm11, 256(%rdx)
	vmovups	%zmm10, 320(%rdx)
	vmovups	%zmm9, 384(%rdx)
	vmovups	%zmm8, 448(%rdx)
	vmovups	%zmm7, 512(%rdx)
	vmovups	%zmm6, 576(%rdx)
	vmovups	%zmm5, 640(%rdx)
.L4173:
	subq	$-128, %r14
	addq	$8192, %rsi
	vmovups	%zmm4, 704(%rdx)
	addq	$3072, %r12
	cmpq	%r14, %rdi
	jle	.L4126
	kxorb	%k0, %k0, %k0
	jmp	.L3929
.L3926:
	vaddps	%zmm2, %zmm15, %zmm15
	vaddps	%zmm2, %zmm14, %zmm14
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vmovups	%zmm15, (%rdx)
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vmovups	%zmm14, 64(%rdx)
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vmovups	%zmm13, 128(%rdx)
	vmovups	%zmm12, 192(%rdx)
	vmovups	%zmm11, 256(%rdx)
	vmovups	%zmm10, 320(%rdx)
	vmovups	%zmm9, 384(%rdx)
	vmovups	%zmm8, 448(%rdx)
	vmovups	%zmm7, 512(%rdx)
	vmovups	%zmm6, 576(%rdx)
	vmovups	%zmm5, 640(%rdx)
	jmp	.L4173
.L4126:
	movq	136(%rsp), %r9
	jmp	.L3795
.L4190:
	movq	%r13, 136(%rsp)
	movq	%rcx, %r12
	movq	%r10, %r13
	xorl	%r14d, %r14d
	movq	%r9, %r10
	movq	%r8, %r9
	movq	%rdi, %r8
	movq	%rsi, %rdi
	kmovb	%r15d, %k0
.L3923:
	movq	%r14, %rcx
	movq	%r8, %rax
	movl	$128, %esi
	movq	%rdi, %rbx
	salq	$6, %rcx
	subq	%r14, %rax
	vxorps	%xmm4, %xmm4, %xmm4
	addq	%r9, %rcx
	cmpq	%rsi, %rax
	vmovaps	%zmm4, %zmm5
	cmovg	%rsi, %rax
	vmovaps	%zmm4, %zmm6
	vmovaps	%zmm4, %zmm7
	vmovaps	%zmm4, %zmm8
	vmovaps	%zmm4, %zmm9
	salq	$6, %rax
	vmovaps	%zmm4, %zmm10
	vmovaps	%zmm4, %zmm11
	leaq	(%rax,%rdi), %rsi
	vmovaps	%zmm4, %zmm12
	movq	%r12, %rax
	vmovaps	%zmm4, %zmm13
	vmovaps	%zmm4, %zmm14
	vmovaps	%zmm4, %zmm15
	vmovaps	%zmm4, %zmm16
	vmovaps	%zmm4, %zmm17
.L3919:
	prefetcht1	(%rbx)
	addq	$64, %rbx
	vpbroadcastd	(%rax), %zmm3
	vcvtph2ps	(%rcx), %zmm1
	vcvtph2ps	32(%rcx), %zmm0
	vfmadd231ps	%zmm1, %zmm3, %zmm17
	addq	$64, %rcx
	addq	$28, %rax
	vfmadd231ps	%zmm0, %zmm3, %zmm16
	vpbroadcastd	-24(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm15
	vfmadd231ps	%zmm0, %zmm3, %zmm14
	vpbroadcastd	-20(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm13
	vfmadd231ps	%zmm0, %zmm3, %zmm12
	vpbroadcastd	-16(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm11
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	-12(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm9
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	-8(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm7
	vfmadd231ps	%zmm0, %zmm3, %zmm6
	vpbroadcastd	-4(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm5
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	cmpq	%rsi, %rbx
	jne	.L3919
	kortestb	%k0, %k0
	jne	.L3920
	vaddps	(%rdx), %zmm17, %zmm17
	vaddps	64(%rdx), %zmm16, %zmm16
	vaddps	128(%rdx), %zmm15, %zmm15
	vaddps	192(%rdx), %zmm14, %zmm14
	vaddps	256(%rdx), %zmm13, %zmm13
	vaddps	320(%rdx), %zmm12, %zmm12
	vaddps	384(%rdx), %zmm11, %zmm11
	vmovups	%zmm17, (%rdx)
	vaddps	448(%rdx), %zmm10, %zmm10
	vaddps	512(%rdx), %zmm9, %zmm9
	vaddps	576(%rdx), %zmm8, %zmm8
	vmovups	%zmm16, 64(%rdx)
	vaddps	640(%rdx), %zmm7, %zmm7
	vaddps	704(%rdx), %zmm6, %zmm6
	vmovups	%zmm15, 128(%rdx)
	vaddps	768(%rdx), %zmm5, %zmm5
	vaddps	832(%rdx), %zmm4, %zmm4
	vmovups	%zmm14, 192(%rdx)
	vmovups	%zmm13, 256(%rdx)
	vmovups	%zmm12, 320(%rdx)
	vmovups	%zmm11, 384(%rdx)
	vmovups	%zmm10, 448(%rdx)
	vmovups	%zmm9, 512(%rdx)
	vmovups	%zmm8, 576(%rdx)
	vmovups	%zmm7, 640(%rdx)
	vmovups	%zmm6, 704(%rdx)
	vmovups	%zmm5, 768(%rdx)
.L4171:
	subq	$-128, %r14
	addq	$8192, %rdi
	vmovups	%zmm4, 832(%rdx)
	addq	$3584, %r12
	cmpq	%r14, %r8
	jle	.L4123
	kxorb	%k0, %k0, %k0
	jmp	.L3923
.L3920:
	vaddps	%zmm2, %zmm17, %zmm17
	vaddps	%zmm2, %zmm16, %zmm16
	vaddps	%zmm2, %zmm15, %zmm15
	vaddps	%zmm2, %zmm14, %zmm14
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vmovups	%zmm17, (%rdx)
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vmovups	%zmm16, 64(%rdx)
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vmovups	%zmm15, 128(%rdx)
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vmovups	%zmm14, 192(%rdx)
	vmovups	%zmm13, 256(%rdx)
	vmovups	%zmm12, 320(%rdx)
	vmovups	%zmm11, 384(%rdx)
	vmovups	%zmm10, 448(%rdx)
	vmovups	%zmm9, 512(%rdx)
	vmovups	%zmm8, 576(%rdx)
	vmovups	%zmm7, 640(%rdx)
	vmovups	%zmm6, 704(%rdx)
	vmovups	%zmm5, 768(%rdx)
	jmp	.L4171
.L4189:
	movq	%r13, 136(%rsp)
	xorl	%r14d, %r14d
	movq	%r10, %r13
	movq	%r9, %r10
	movq	%rcx, %r9
	movq	%rsi, %rcx
	kmovb	%r15d, %k0
.L3917:
	movq	%r14, %rsi
	movq	%r14, %rax
	movq	%rdi, %rbx
	movl	$128, %r12d
	salq	$6, %rsi
	salq	$5, %rax
	subq	%r14, %rbx
	vxorps	%xmm4, %xmm4, %xmm4
	addq	%r8, %rsi
	addq	%r9, %rax
	cmpq	%r12, %rbx
	cmovg	%r12, %rbx
	vmovaps	%zmm4, %zmm5
	vmovaps	%zmm4, %zmm6
	vmovaps	%zmm4, %zmm7
	vmovaps	%zmm4, %zmm8
	salq	$6, %rbx
	vmovaps	%zmm4, %zmm9
	vmovaps	%zmm4, %zmm10
	leaq	(%rbx,%rcx), %r12
	vmovaps	%zmm4, %zmm11
	movq	%rcx, %rbx
	vmovaps	%zmm4, %zmm12
	vmovaps	%zmm4, %zmm13
	vmovaps	%zmm4, %zmm14
	vmovaps	%zmm4, %zmm15
	vmovaps	%zmm4, %zmm16
	vmovaps	%zmm4, %zmm17
	vmovaps	%zmm4, %zmm18
	vmovaps	%zmm4, %zmm19
.L3913:
	prefetcht1	(%rbx)
	addq	$64, %rbx
	vpbroadcastd	(%rax), %zmm3
	vcvtph2ps	(%rsi), %zmm1
	vcvtph2ps	32(%rsi), %zmm0
	vfmadd231ps	%zmm1, %zmm3, %zmm19
	addq	$64, %rsi
	addq	$32, %rax
	vfmadd231ps	%zmm0, %zmm3, %zmm18
	vpbroadcastd	-28(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm17
	vfmadd231ps	%zmm0, %zmm3, %zmm16
	vpbroadcastd	-24(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm15
	vfmadd231ps	%zmm0, %zmm3, %zmm14
	vpbroadcastd	-20(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm13
	vfmadd231ps	%zmm0, %zmm3, %zmm12
	vpbroadcastd	-16(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm11
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	-12(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm9
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	-8(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm7
	vfmadd231ps	%zmm0, %zmm3, %zmm6
	vpbroadcastd	-4(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm5
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	cmpq	%rbx, %r12
	jne	.L3913
	kortestb	%k0, %k0
	jne	.L3914
	vaddps	(%rdx), %zmm19, %zmm19
	vaddps	64(%rdx), %zmm18, %zmm18
	vaddps	128(%rdx), %zmm17, %zmm17
	vaddps	192(%rdx), %zmm16, %zmm16
	vaddps	256(%rdx), %zmm15, %zmm15
	vaddps	320(%rdx), %zmm14, %zmm14
	vaddps	384(%rdx), %zmm13, %zmm13
	vmovups	%zmm19, (%rdx)
	vaddps	448(%rdx), %zmm12, %zmm12
	vaddps	512(%rdx), %zmm11, %zmm11
	vaddps	576(%rdx), %zmm10, %zmm10
	vmovups	%zmm18, 64(%rdx)
	vaddps	640(%rdx), %zmm9, %zmm9
	vaddps	704(%rdx), %zmm8, %zmm8
	vmovups	%zmm17, 128(%rdx)
	vaddps	768(%rdx), %zmm7, %zmm7
	vaddps	832(%rdx), %zmm6, %zmm6
	vmovups	%zmm16, 192(%rdx)
	vaddps	896(%rdx), %zmm5, %zmm5
	vaddps	960(%rdx), %zmm4, %zmm4
	vmovups	%zmm15, 256(%rdx)
	vmovups	%zmm14, 320(%rdx)
	vmovups	%zmm13, 384(%rdx)
	vmovups	%zmm12, 448(%rdx)
	vmovups	%zmm11, 512(%rdx)
	vmovups	%zmm10, 576(%rdx)
	vmovups	%zmm9, 640(%rdx)
	vmovups	%zmm8, 704(%rdx)
	vmovups	%zmm7, 768(%rdx)
	vmovups	%zmm6, 832(%rdx)
	vmovups	%zmm5, 896(%rdx)
.L4169:
	subq	$-128, %r14
	addq	$8192, %rcx
	vmovups	%zmm4, 960(%rdx)
	cmpq	%r14, %rdi
	jle	.L4182
	kxorb	%k0, %k0, %k0
	jmp	.L3917
.L3914:
	vaddps	%zmm2, %zmm19, %zmm19
	vaddps	%zmm2, %zmm18, %zmm18
	vaddps	%zmm2, %zmm17, %zmm17
	vaddps	%zmm2, %zmm16, %zmm16
	vaddps	%zmm2, %zmm15, %zmm15
	vaddps	%zmm2, %zmm14, %zmm14
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vmovups	%zmm19, (%rdx)
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vmovups	%zmm18, 64(%rdx)
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vmovups	%zmm17, 128(%rdx)
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vmovups	%zmm16, 192(%rdx)
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vmovups	%zmm15, 256(%rdx)
	vmovups	%zmm14, 320(%rdx)
	vmovups	%zmm13, 384(%rdx)
	vmovups	%zmm12, 448(%rdx)
	vmovups	%zmm11, 512(%rdx)
	vmovups	%zmm10, 576(%rdx)
	vmovups	%zmm9, 640(%rdx)
	vmovups	%zmm8, 704(%rdx)
	vmovups	%zmm7, 768(%rdx)
	vmovups	%zmm6, 832(%rdx)
	vmovups	%zmm5, 896(%rdx)
	jmp	.L4169
.L4123:
	movq	%r8, %rdi
	movq	%r9, %r8
.L4182:
	movq	%r10, %r9
	movq	%r13, %r10
	movq	136(%rsp), %r13
	jmp	.L3795
.L4188:
	movq	%rcx, 136(%rsp)
	movq	%r13, %rax
	xorl	%r14d, %r14d
	movq	%r10, %r13
	movq	%r9, %r10
	movq	%r8, %r9
	movq	%rdi, %r8
	movq	%rax, %rdi
	kmovb	%r15d, %k0
.L3911:
	movq	%r14, %rcx
	movq	%r8, %rax
	movl	$128, %ebx
	salq	$6, %rcx
	subq	%r14, %rax
	vxorps	%xmm4, %xmm4, %xmm4
	addq	%r9, %rcx
	cmpq	%rbx, %rax
	vmovaps	%zmm4, %zmm5
	cmovg	%rbx, %rax
	vmovaps	%zmm4, %zmm6
	movq	%rsi, %rbx
	vmovaps	%zmm4, %zmm7
	vmovaps	%zmm4, %zmm8
	salq	$6, %rax
	vmovaps	%zmm4, %zmm9
	vmovaps	%zmm4, %zmm10
	leaq	(%rax,%rsi), %r12
	movq	136(%rsp), %rax
	vmovaps	%zmm4, %zmm11
	vmovaps	%zmm4, %zmm12
	vmovaps	%zmm4, %zmm13
	vmovaps	%zmm4, %zmm14
	vmovaps	%zmm4, %zmm15
	vmovaps	%zmm4, %zmm16
	vmovaps	%zmm4, %zmm17
	vmovaps	%zmm4, %zmm18
	vmovaps	%zmm4, %zmm19
	vmovaps	%zmm4, %zmm20
	vmovaps	%zmm4, %zmm21
.L3907:
	prefetcht1	(%rbx)
	addq	$64, %rbx
	vpbroadcastd	(%rax), %zmm3
	vcvtph2ps	(%rcx), %zmm1
	vcvtph2ps	32(%rcx), %zmm0
	vfmadd231ps	%zmm1, %zmm3, %zmm21
	addq	$64, %rcx
	addq	$36, %rax
	vfmadd231ps	%zmm0, %zmm3, %zmm20
	vpbroadcastd	-32(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm19
	vfmadd231ps	%zmm0, %zmm3, %zmm18
	vpbroadcastd	-28(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm17
	vfmadd231ps	%zmm0, %zmm3, %zmm16
	vpbroadcastd	-24(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm15
	vfmadd231ps	%zmm0, %zmm3, %zmm14
	vpbroadcastd	-20(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm13
	vfmadd231ps	%zmm0, %zmm3, %zmm12
	vpbroadcastd	-16(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm11
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	-12(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm9
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	-8(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm7
	vfmadd231ps	%zmm0, %zmm3, %zmm6
	vpbroadcastd	-4(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm5
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	cmpq	%r12, %rbx
	jne	.L3907
	kortestb	%k0, %k0
	jne	.L3908
	vaddps	(%rdx), %zmm21, %zmm21
	vaddps	64(%rdx), %zmm20, %zmm20
	vaddps	128(%rdx), %zmm19, %zmm19
	vaddps	192(%rdx), %zmm18, %zmm18
	vaddps	256(%rdx), %zmm17, %zmm17
	vaddps	320(%rdx), %zmm16, %zmm16
	vaddps	384(%rdx), %zmm15, %zmm15
	vmovups	%zmm21, (%rdx)
	vaddps	448(%rdx), %zmm14, %zmm14
	vaddps	512(%rdx), %zmm13, %zmm13
	vaddps	576(%rdx), %zmm12, %zmm12
	vmovups	%zmm20, 64(%rdx)
	vaddps	640(%rdx), %zmm11, %zmm11
	vaddps	704(%rdx), %zmm10, %zmm10
	vmovups	%zmm19, 128(%rdx)
	vaddps	768(%rdx), %zmm9, %zmm9
	vaddps	832(%rdx), %zmm8, %zmm8
	vmovups	%zmm18, 192(%rdx)
	vaddps	896(%rdx), %zmm7, %zmm7
	vaddps	960(%rdx), %zmm6, %zmm6
	vmovups	%zmm17, 256(%rdx)
	vmovups	%zmm16, 320(%rdx)
	vmovups	%zmm15, 384(%rdx)
	vmovups	%zmm14, 448(%rdx)
	vmovups	%zmm13, 512(%rdx)
	vmovups	%zmm12, 576(%rdx)
	vmovups	%zmm11, 640(%rdx)
	vmovups	%zmm10, 704(%rdx)
	vmovups	%zmm9, 768(%rdx)
	vmovups	%zmm8, 832(%rdx)
	vmovups	%zmm7, 896(%rdx)
	vmovups	%zmm6, 960(%rdx)
	vaddps	1024(%rdx), %zmm5, %zmm5
	vaddps	1088(%rdx), %zmm4, %zmm4
	vmovups	%zmm5, 1024(%rdx)
.L4167:
	subq	$-128, %r14
	addq	$8192, %rsi
	addq	$4608, 136(%rsp)
	vmovups	%zmm4, 1088(%rdx)
	cmpq	%r14, %r8
	jle	.L4121
	kxorb	%k0, %k0, %k0
	jmp	.L3911
.L3908:
	vaddps	%zmm2, %zmm21, %zmm21
	vaddps	%zmm2, %zmm20, %zmm20
	vaddps	%zmm2, %zmm19, %zmm19
	vaddps	%zmm2, %zmm18, %zmm18
	vaddps	%zmm2, %zmm17, %zmm17
	vaddps	%zmm2, %zmm16, %zmm16
	vaddps	%zmm2, %zmm15, %zmm15
	vaddps	%zmm2, %zmm14, %zmm14
	vmovups	%zmm21, (%rdx)
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vmovups	%zmm20, 64(%rdx)
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vmovups	%zmm19, 128(%rdx)
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vmovups	%zmm18, 192(%rdx)
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vmovups	%zmm17, 256(%rdx)
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vmovups	%zmm16, 320(%rdx)
	vmovups	%zmm15, 384(%rdx)
	vmovups	%zmm14, 448(%rdx)
	vmovups	%zmm13, 512(%rdx)
	vmovups	%zmm12, 576(%rdx)
	vmovups	%zmm11, 640(%rdx)
	vmovups	%zmm10, 704(%rdx)
	vmovups	%zmm9, 768(%rdx)
	vmovups	%zmm8, 832(%rdx)
	vmovups	%zmm7, 896(%rdx)
	vmovups	%zmm6, 960(%rdx)
	vmovups	%zmm5, 1024(%rdx)
	jmp	.L4167
.L4187:
	movq	%rcx, 136(%rsp)
	movq	%r13, %rax
	xorl	%r14d, %r14d
	movq	%r10, %r13
	movq	%r9, %r10
	movq	%r8, %r9
	movq	%rdi, %r8
	movq	%rax, %rdi
	kmovb	%r15d, %k0
.L3905:
	movq	%r14, %rcx
	movq	%r8, %rax
	movl	$128, %ebx
	salq	$6, %rcx
	subq	%r14, %rax
	vxorps	%xmm4, %xmm4, %xmm4
	addq	%r9, %rcx
	cmpq	%rbx, %rax
	vmovaps	%zmm4, %zmm5
	cmovg	%rbx, %rax
	vmovaps	%zmm4, %zmm6
	movq	%rsi, %rbx
	vmovaps	%zmm4, %zmm7
	vmovaps	%zmm4, %zmm8
	salq	$6, %rax
	vmovaps	%zmm4, %zmm9
	vmovaps	%zmm4, %zmm10
	leaq	(%rax,%rsi), %r12
	movq	136(%rsp), %rax
	vmovaps	%zmm4, %zmm11
	vmovaps	%zmm4, %zmm12
	vmovaps	%zmm4, %zmm13
	vmovaps	%zmm4, %zmm14
	vmovaps	%zmm4, %zmm15
	vmovaps	%zmm4, %zmm16
	vmovaps	%zmm4, %zmm17
	vmovaps	%zmm4, %zmm18
	vmovaps	%zmm4, %zmm19
	vmovaps	%zmm4, %zmm20
	vmovaps	%zmm4, %zmm21
	vmovaps	%zmm4, %zmm22
	vmovaps	%zmm4, %zmm23
.L3901:
	prefetcht1	(%rbx)
	addq	$64, %rbx
	vpbroadcastd	(%rax), %zmm3
	vcvtph2ps	(%rcx), %zmm1
	vcvtph2ps	32(%rcx), %zmm0
	vfmadd231ps	%zmm1, %zmm3, %zmm23
	addq	$64, %rcx
	addq	$40, %rax
	vfmadd231ps	%zmm0, %zmm3, %zmm22
	vpbroadcastd	-36(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm21
	vfmadd231ps	%zmm0, %zmm3, %zmm20
	vpbroadcastd	-32(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm19
	vfmadd231ps	%zmm0, %zmm3, %zmm18
	vpbroadcastd	-28(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm17
	vfmadd231ps	%zmm0, %zmm3, %zmm16
	vpbroadcastd	-24(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm15
	vfmadd231ps	%zmm0, %zmm3, %zmm14
	vpbroadcastd	-20(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm13
	vfmadd231ps	%zmm0, %zmm3, %zmm12
	vpbroadcastd	-16(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm11
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	-12(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm9
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	-8(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm7
	vfmadd231ps	%zmm0, %zmm3, %zmm6
	vpbroadcastd	-4(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm5
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	cmpq	%r12, %rbx
	jne	.L3901
	kortestb	%k0, %k0
	jne	.L3902
	vaddps	(%rdx), %zmm23, %zmm23
	vaddps	64(%rdx), %zmm22, %zmm22
	vaddps	128(%rdx), %zmm21, %zmm21
	vaddps	192(%rdx), %zmm20, %zmm20
	vaddps	256(%rdx), %zmm19, %zmm19
	vaddps	320(%rdx), %zmm18, %zmm18
	vaddps	384(%rdx), %zmm17, %zmm17
	vmovups	%zmm23, (%rdx)
	vaddps	448(%rdx), %zmm16, %zmm16
	vaddps	512(%rdx), %zmm15, %zmm15
	vaddps	576(%rdx), %zmm14, %zmm14
	vmovups	%zmm22, 64(%rdx)
	vaddps	640(%rdx), %zmm13, %zmm13
	vaddps	704(%rdx), %zmm12, %zmm12
	vmovups	%zmm21, 128(%rdx)
	vaddps	768(%rdx), %zmm11, %zmm11
	vaddps	832(%rdx), %zmm10, %zmm10
	vmovups	%zmm20, 192(%rdx)
	vaddps	896(%rdx), %zmm9, %zmm9
	vaddps	960(%rdx), %zmm8, %zmm8
	vmovups	%zmm19, 256(%rdx)
	vmovups	%zmm18, 320(%rdx)
	vmovups	%zmm17, 384(%rdx)
	vmovups	%zmm16, 448(%rdx)
	vmovups	%zmm15, 512(%rdx)
	vmovups	%zmm14, 576(%rdx)
	vmovups	%zmm13, 640(%rdx)
	vmovups	%zmm12, 704(%rdx)
	vmovups	%zmm11, 768(%rdx)
	vmovups	%zmm10, 832(%rdx)
	vmovups	%zmm9, 896(%rdx)
	vmovups	%zmm8, 960(%rdx)
	vaddps	1024(%rdx), %zmm7, %zmm7
	vaddps	1088(%rdx), %zmm6, %zmm6
	vaddps	1152(%rdx), %zmm5, %zmm5
	vaddps	1216(%rdx), %zmm4, %zmm4
	vmovups	%zmm7, 1024(%rdx)
	vmovups	%zmm6, 1088(%rdx)
	vmovups	%zmm5, 1152(%rdx)
.L4165:
	subq	$-128, %r14
	addq	$8192, %rsi
	addq	$5120, 136(%rsp)
	vmovups	%zmm4, 1216(%rdx)
	cmpq	%r14, %r8
	jle	.L4121
	kxorb	%k0, %k0, %k0
	jmp	.L3905
.L3902:
	vaddps	%zmm2, %zmm23, %zmm23
	vaddps	%zmm2, %zmm22, %zmm22
	vaddps	%zmm2, %zmm21, %zmm21
	vaddps	%zmm2, %zmm20, %zmm20
	vaddps	%zmm2, %zmm19, %zmm19
	vaddps	%zmm2, %zmm18, %zmm18
	vaddps	%zmm2, %zmm17, %zmm17
	vaddps	%zmm2, %zmm16, %zmm16
	vmovups	%zmm23, (%rdx)
	vaddps	%zmm2, %zmm15, %zmm15
	vaddps	%zmm2, %zmm14, %zmm14
	vmovups	%zmm22, 64(%rdx)
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vmovups	%zmm21, 128(%rdx)
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vmovups	%zmm20, 192(%rdx)
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vmovups	%zmm19, 256(%rdx)
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vmovups	%zmm18, 320(%rdx)
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vmovups	%zmm17, 384(%rdx)
	vmovups	%zmm16, 448(%rdx)
	vmovups	%zmm15, 512(%rdx)
	vmovups	%zmm14, 576(%rdx)
	vmovups	%zmm13, 640(%rdx)
	vmovups	%zmm12, 704(%rdx)
	vmovups	%zmm11, 768(%rdx)
	vmovups	%zmm10, 832(%rdx)
	vmovups	%zmm9, 896(%rdx)
	vmovups	%zmm8, 960(%rdx)
	vmovups	%zmm7, 1024(%rdx)
	vmovups	%zmm6, 1088(%rdx)
	vmovups	%zmm5, 1152(%rdx)
	jmp	.L4165
.L4200:
	movq	152(%rsp), %r14
	movq	%rcx, %r12
	xorl	%esi, %esi
	kmovb	%r15d, %k0
.L3809:
	movq	%rdi, %rax
	movl	$128, %edx
	vxorps	%xmm4, %xmm4, %xmm4
	subq	%rsi, %rax
	vmovaps	%zmm4, %zmm5
	vmovaps	%zmm4, %zmm6
	cmpq	%rdx, %rax
	vmovaps	%zmm4, %zmm7
	vmovaps	%zmm4, %zmm8
	cmovg	%rdx, %rax
	vmovaps	%zmm4, %zmm9
	movq	%r14, %rdx
	vmovaps	%zmm4, %zmm10
	vmovaps	%zmm4, %zmm11
	addq	%rsi, %rax
	vmovaps	%zmm4, %zmm12
	vmovaps	%zmm4, %zmm13
	leaq	(%rax,%rax,2), %rbx
	vmovaps	%zmm4, %zmm14
	movq	%r12, %rax
	salq	$4, %rbx
	vmovaps	%zmm4, %zmm15
	vmovaps	%zmm4, %zmm16
	addq	%rcx, %rbx
	vmovaps	%zmm4, %zmm17
	vmovaps	%zmm4, %zmm18
	vmovaps	%zmm4, %zmm19
	vmovaps	%zmm4, %zmm20
	vmovaps	%zmm4, %zmm21
	vmovaps	%zmm4, %zmm22
	vmovaps	%zmm4, %zmm23
	vmovaps	%zmm4, %zmm24
	vmovaps	%zmm4, %zmm25
	vmovaps	%zmm4, %zmm26
	vmovaps	%zmm4, %zmm27
.L3805:
	vpbroadcastd	(%rax), %zmm3
	addq	$48, %rax
	prefetcht0	(%rdx)
	addq	$64, %rdx
	vcvtph2ps	-4160(%rdx), %zmm1
	vcvtph2ps	-4128(%rdx), %zmm0
	vfmadd231ps	%zmm1, %zmm3, %zmm27
	vfmadd231ps	%zmm0, %zmm3, %zmm26
	vpbroadcastd	-44(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm25
	vfmadd231ps	%zmm0, %zmm3, %zmm24
	vpbroadcastd	-40(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm23
	vfmadd231ps	%zmm0, %zmm3, %zmm22
	vpbroadcastd	-36(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm21
	vfmadd231ps	%zmm0, %zmm3, %zmm20
	vpbroadcastd	-32(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm19
	vfmadd231ps	%zmm0, %zmm3, %zmm18
	vpbroadcastd	-28(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm17
	vfmadd231ps	%zmm0, %zmm3, %zmm16
	vpbroadcastd	-24(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm15
	vfmadd231ps	%zmm0, %zmm3, %zmm14
	vpbroadcastd	-20(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm13
	vfmadd231ps	%zmm0, %zmm3, %zmm12
	vpbroadcastd	-16(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm11
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	-12(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm9
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	-8(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm7
	vfmadd231ps	%zmm0, %zmm3, %zmm6
	vpbroadcastd	-4(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm5
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	cmpq	%rax, %rbx
	jne	.L3805
	kortestb	%k0, %k0
	jne	.L3806
	vaddps	0(%r13), %zmm27, %zmm27
	vaddps	64(%r13), %zmm26, %zmm26
	vaddps	128(%r13), %zmm25, %zmm25
	vaddps	192(%r13), %zmm24, %zmm24
	vaddps	256(%r13), %zmm23, %zmm23
	vaddps	320(%r13), %zmm22, %zmm22
	vaddps	384(%r13), %zmm21, %zmm21
	vaddps	448(%r13), %zmm20, %zmm20
	vmovups	%zmm27, 0(%r13)
	vaddps	512(%r13), %zmm19, %zmm19
	vaddps	576(%r13), %zmm18, %zmm18
	vmovups	%zmm26, 64(%r13)
	vaddps	640(%r13), %zmm17, %zmm17
	vaddps	704(%r13), %zmm16, %zmm16
	vmovups	%zmm25, 128(%r13)
	vaddps	768(%r13), %zmm15, %zmm15
	vaddps	832(%r13), %zmm14, %zmm14
	vmovups	%zmm24, 192(%r13)
	vaddps	896(%r13), %zmm13, %zmm13
	vaddps	960(%r13), %zmm12, %zmm12
	vmovups	%zmm23, 256(%r13)
	vmovups	%zmm22, 320(%r13)
	vmovups	%zmm21, 384(%r13)
	vmovups	%zmm20, 448(%r13)
	vmovups	%zmm19, 512(%r13)
	vmovups	%zmm18, 576(%r13)
	vmovups	%zmm17, 640(%r13)
	vmovups	%zmm16, 704(%r13)
	vmovups	%zmm15, 768(%r13)
	vmovups	%zmm14, 832(%r13)
	vmovups	%zmm13, 896(%r13)
	vmovups	%zmm12, 960(%r13)
	vaddps	1024(%r13), %zmm11, %zmm11
	vaddps	1088(%r13), %zmm10, %zmm10
	vaddps	1152(%r13), %zmm9, %zmm9
	vaddps	1216(%r13), %zmm8, %zmm8
	vaddps	1280(%r13), %zmm7, %zmm7
	vaddps	1344(%r13), %zmm6, %zmm6
	vaddps	1408(%r13), %zmm5, %zmm5
	vaddps	1472(%r13), %zmm4, %zmm4
	vmovups	%zmm11, 1024(%r13)
	vmovups	%zmm10, 1088(%r13)
	vmovups	%zmm9, 1152(%r13)
	vmovups	%zmm8, 1216(%r13)
	vmovups	%zmm7, 1280(%r13)
	vmovups	%zmm6, 1344(%r13)
	vmovups	%zmm5, 1408(%r13)
.L4138:
	subq	$-128, %rsi
	addq	$8192, %r14
	vmovups	%zmm4, 1472(%r13)
	addq	$6144, %r12
	cmpq	%rsi, %rdi
	jle	.L3795
	kxorb	%k0, %k0, %k0
	jmp	.L3809
.L3806:
	vaddps	%zmm2, %zmm27, %zmm27
	vaddps	%zmm2, %zmm26, %zmm26
	vaddps	%zmm2, %zmm25, %zmm25
	vaddps	%zmm2, %zmm24, %zmm24
	vaddps	%zmm2, %zmm23, %zmm23
	vaddps	%zmm2, %zmm22, %zmm22
	vaddps	%zmm2, %zmm21, %zmm21
	vaddps	%zmm2, %zmm20, %zmm20
	vmovups	%zmm27, 0(%r13)
	vaddps	%zmm2, %zmm19, %zmm19
	vaddps	%zmm2, %zmm18, %zmm18
	vmovups	%zmm26, 64(%r13)
	vaddps	%zmm2, %zmm17, %zmm17
	vaddps	%zmm2, %zmm16, %zmm16
	vmovups	%zmm25, 128(%r13)
	vaddps	%zmm2, %zmm15, %zmm15
	vaddps	%zmm2, %zmm14, %zmm14
	vmovups	%zmm24, 192(%r13)
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vmovups	%zmm23, 256(%r13)
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vmovups	%zmm22, 320(%r13)
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vmovups	%zmm21, 384(%r13)
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vmovups	%zmm20, 448(%r13)
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vmovups	%zmm19, 512(%r13)
	vmovups	%zmm18, 576(%r13)
	vmovups	%zmm17, 640(%r13)
	vmovups	%zmm16, 704(%r13)
	vmovups	%zmm15, 768(%r13)
	vmovups	%zmm14, 832(%r13)
	vmovups	%zmm13, 896(%r13)
	vmovups	%zmm12, 960(%r13)
	vmovups	%zmm11, 1024(%r13)
	vmovups	%zmm10, 1088(%r13)
	vmovups	%zmm9, 1152(%r13)
	vmovups	%zmm8, 1216(%r13)
	vmovups	%zmm7, 1280(%r13)
	vmovups	%zmm6, 1344(%r13)
	vmovups	%zmm5, 1408(%r13)
	jmp	.L4138
.L4199:
	movq	%r8, %r12
	movl	%r15d, %r14d
	xorl	%ebx, %ebx
.L3802:
	movq	%rdi, %rax
	movl	$128, %esi
	vxorps	%xmm4, %xmm4, %xmm4
	subq	%rbx, %rax
	leaq	4096(%r12), %rdx
	vmovaps	%zmm4, %zmm5
	cmpq	%rsi, %rax
	vmovaps	%zmm4, %zmm6
	vmovaps	%zmm4, %zmm7
	cmovg	%rsi, %rax
	vmovaps	%zmm4, %zmm8
	vmovaps	%zmm4, %zmm9
	vmovaps	%zmm4, %zmm10
	vmovaps	%zmm4, %zmm11
	salq	$6, %rax
	vmovaps	%zmm4, %zmm12
	vmovaps	%zmm4, %zmm13
	leaq	(%rax,%rdx), %rsi
	vmovaps	%zmm4, %zmm14
	movq	%rcx, %rax
	vmovaps	%zmm4, %zmm15
	vmovaps	%zmm4, %zmm16
	vmovaps	%zmm4, %zmm17
	vmovaps	%zmm4, %zmm18
	vmovaps	%zmm4, %zmm19
	vmovaps	%zmm4, %zmm20
	vmovaps	%zmm4, %zmm21
	vmovaps	%zmm4, %zmm22
	vmovaps	%zmm4, %zmm23
	vmovaps	%zmm4, %zmm24
	vmovaps	%zmm4, %zmm25
	vmovaps	%zmm4, %zmm26
	vmovaps	%zmm4, %zmm27
	vmovaps	%zmm4, %zmm28
	vmovaps	%zmm4, %zmm29
.L3798:
	prefetcht0	(%rdx)
	addq	$64, %rdx
	vpbroadcastd	(%rax), %zmm3
	vcvtph2ps	-4160(%rdx), %zmm1
	vcvtph2ps	-4128(%rdx), %zmm0
	vfmadd231ps	%zmm1, %zmm3, %zmm29
	addq	$52, %rax
	vfmadd231ps	%zmm0, %zmm3, %zmm28
	vpbroadcastd	-48(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm27
	vfmadd231ps	%zmm0, %zmm3, %zmm26
	vpbroadcastd	-44(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm25
	vfmadd231ps	%zmm0, %zmm3, %zmm24
	vpbroadcastd	-40(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm23
	vfmadd231ps	%zmm0, %zmm3, %zmm22
	vpbroadcastd	-36(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm21
	vfmadd231ps	%zmm0, %zmm3, %zmm20
	vpbroadcastd	-32(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm19
	vfmadd231ps	%zmm0, %zmm3, %zmm18
	vpbroadcastd	-28(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm17
	vfmadd231ps	%zmm0, %zmm3, %zmm16
	vpbroadcastd	-24(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm15
	vfmadd231ps	%zmm0, %zmm3, %zmm14
	vpbroadcastd	-20(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm13
	vfmadd231ps	%zmm0, %zmm3, %zmm12
	vpbroadcastd	-16(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm11
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	-12(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm9
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	-8(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm7
	vfmadd231ps	%zmm0, %zmm3, %zmm6
	vpbroadcastd	-4(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm5
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	cmpq	%rsi, %rdx
	jne	.L3798
	testb	%r14b, %r14b
	jne	.L3799
	vaddps	0(%r13), %zmm29, %zmm29
	vaddps	64(%r13), %zmm28, %zmm28
	vaddps	128(%r13), %zmm27, %zmm27
	vaddps	192(%r13), %zmm26, %zmm26
	vaddps	256(%r13), %zmm25, %zmm25
	vaddps	320(%r13), %zmm24, %zmm24
	vaddps	384(%r13), %zmm23, %zmm23
	vaddps	448(%r13), %zmm22, %zmm22
	vmovups	%zmm29, 0(%r13)
	vaddps	512(%r13), %zmm21, %zmm21
	vaddps	576(%r13), %zmm20, %zmm20
	vmovups	%zmm28, 64(%r13)
	vaddps	640(%r13), %zmm19, %zmm19
	vaddps	704(%r13), %zmm18, %zmm18
	vmovups	%zmm27, 128(%r13)
	vaddps	768(%r13), %zmm17, %zmm17
	vaddps	832(%r13), %zmm16, %zmm16
	vmovups	%zmm26, 192(%r13)
	vaddps	896(%r13), %zmm15, %zmm15
	vaddps	960(%r13), %zmm14, %zmm14
	vmovups	%zmm25, 256(%r13)
	vmovups	%zmm24, 320(%r13)
	vmovups	%zmm23, 384(%r13)
	vmovups	%zmm22, 448(%r13)
	vmovups	%zmm21, 512(%r13)
	vmovups	%zmm20, 576(%r13)
	vmovups	%zmm19, 640(%r13)
	vmovups	%zmm18, 704(%r13)
	vmovups	%zmm17, 768(%r13)
	vmovups	%zmm16, 832(%r13)
	vmovups	%zmm15, 896(%r13)
	vmovups	%zmm14, 960(%r13)
	vaddps	1024(%r13), %zmm13, %zmm13
	vaddps	1088(%r13), %zmm12, %zmm12
	vaddps	1152(%r13), %zmm11, %zmm11
	vaddps	1216(%r13), %zmm10, %zmm10
	vaddps	1280(%r13), %zmm9, %zmm9
	vaddps	1344(%r13), %zmm8, %zmm8
	vaddps	1408(%r13), %zmm7, %zmm7
	vaddps	1472(%r13), %zmm6, %zmm6
	vmovups	%zmm13, 1024(%r13)
	vaddps	1536(%r13), %zmm5, %zmm5
	vaddps	1600(%r13), %zmm4, %zmm4
	vmovups	%zmm12, 1088(%r13)
	vmovups	%zmm11, 1152(%r13)
	vmovups	%zmm10, 1216(%r13)
	vmovups	%zmm9, 1280(%r13)
	vmovups	%zmm8, 1344(%r13)
	vmovups	%zmm7, 1408(%r13)
	vmovups	%zmm6, 1472(%r13)
	vmovups	%zmm5, 1536(%r13)
.L4137:
	subq	$-128, %rbx
	addq	$8192, %r12
	vmovups	%zmm4, 1600(%r13)
	addq	$6656, %rcx
	cmpq	%rbx, %rdi
	jle	.L3795
	xorl	%r14d, %r14d
	jmp	.L3802
.L3799:
	vaddps	%zmm2, %zmm29, %zmm29
	vaddps	%zmm2, %zmm28, %zmm28
	vaddps	%zmm2, %zmm27, %zmm27
	vaddps	%zmm2, %zmm26, %zmm26
	vaddps	%zmm2, %zmm25, %zmm25
	vaddps	%zmm2, %zmm24, %zmm24
	vaddps	%zmm2, %zmm23, %zmm23
	vaddps	%zmm2, %zmm22, %zmm22
	vmovups	%zmm29, 0(%r13)
	vaddps	%zmm2, %zmm21, %zmm21
	vaddps	%zmm2, %zmm20, %zmm20
	vmovups	%zmm28, 64(%r13)
	vaddps	%zmm2, %zmm19, %zmm19
	vaddps	%zmm2, %zmm18, %zmm18
	vmovups	%zmm27, 128(%r13)
	vaddps	%zmm2, %zmm17, %zmm17
	vaddps	%zmm2, %zmm16, %zmm16
	vmovups	%zmm26, 192(%r13)
	vaddps	%zmm2, %zmm15, %zmm15
	vaddps	%zmm2, %zmm14, %zmm14
	vmovups	%zmm25, 256(%r13)
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vmovups	%zmm24, 320(%r13)
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vmovups	%zmm23, 384(%r13)
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vmovups	%zmm22, 448(%r13)
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vmovups	%zmm21, 512(%r13)
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vmovups	%zmm20, 576(%r13)
	vmovups	%zmm19, 640(%r13)
	vmovups	%zmm18, 704(%r13)
	vmovups	%zmm17, 768(%r13)
	vmovups	%zmm16, 832(%r13)
	vmovups	%zmm15, 896(%r13)
	vmovups	%zmm14, 960(%r13)
	vmovups	%zmm13, 1024(%r13)
	vmovups	%zmm12, 1088(%r13)
	vmovups	%zmm11, 1152(%r13)
	vmovups	%zmm10, 1216(%r13)
	vmovups	%zmm9, 1280(%r13)
	vmovups	%zmm8, 1344(%r13)
	vmovups	%zmm7, 1408(%r13)
	vmovups	%zmm6, 1472(%r13)
	vmovups	%zmm5, 1536(%r13)
	jmp	.L4137
.L4198:
	movq	%r8, %r12
	movl	%r15d, %r14d
	xorl	%ebx, %ebx
.L3796:
	movq	%rdi, %rax
	movl	$128, %esi
	vxorps	%xmm4, %xmm4, %xmm4
	subq	%rbx, %rax
	leaq	4096(%r12), %rdx
	vmovaps	%zmm4, %zmm5
	cmpq	%rsi, %rax
	vmovaps	%zmm4, %zmm6
	vmovaps	%zmm4, %zmm7
	cmovg	%rsi, %rax
	vmovaps	%zmm4, %zmm8
	vmovaps	%zmm4, %zmm9
	vmovaps	%zmm4, %zmm10
	vmovaps	%zmm4, %zmm11
	salq	$6, %rax
	vmovaps	%zmm4, %zmm12
	vmovaps	%zmm4, %zmm13
	leaq	(%rax,%rdx), %rsi
	vmovaps	%zmm4, %zmm14
	movq	%rcx, %rax
	vmovaps	%zmm4, %zmm15
	vmovaps	%zmm4, %zmm16
	vmovaps	%zmm4, %zmm17
	vmovaps	%zmm4, %zmm18
	vmovaps	%zmm4, %zmm19
	vmovaps	%zmm4, %zmm20
	vmovaps	%zmm4, %zmm21
	vmovaps	%zmm4, %zmm22
	vmovaps	%zmm4, %zmm23
	vmovaps	%zmm4, %zmm24
	vmovaps	%zmm4, %zmm25
	vmovaps	%zmm4, %zmm26
	vmovaps	%zmm4, %zmm27
	vmovaps	%zmm4, %zmm28
	vmovaps	%zmm4, %zmm29
	vmovaps	%zmm4, %zmm30
	vmovaps	%zmm4, %zmm31
.L3792:
	prefetcht0	(%rdx)
	addq	$64, %rdx
	vpbroadcastd	(%rax), %zmm3
	vcvtph2ps	-4160(%rdx), %zmm1
	vcvtph2ps	-4128(%rdx), %zmm0
	vfmadd231ps	%zmm1, %zmm3, %zmm31
	addq	$56, %rax
	vfmadd231ps	%zmm0, %zmm3, %zmm30
	vpbroadcastd	-52(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm29
	vfmadd231ps	%zmm0, %zmm3, %zmm28
	vpbroadcastd	-48(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm27
	vfmadd231ps	%zmm0, %zmm3, %zmm26
	vpbroadcastd	-44(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm25
	vfmadd231ps	%zmm0, %zmm3, %zmm24
	vpbroadcastd	-40(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm23
	vfmadd231ps	%zmm0, %zmm3, %zmm22
	vpbroadcastd	-36(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm21
	vfmadd231ps	%zmm0, %zmm3, %zmm20
	vpbroadcastd	-32(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm19
	vfmadd231ps	%zmm0, %zmm3, %zmm18
	vpbroadcastd	-28(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm17
	vfmadd231ps	%zmm0, %zmm3, %zmm16
	vpbroadcastd	-24(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm15
	vfmadd231ps	%zmm0, %zmm3, %zmm14
	vpbroadcastd	-20(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm13
	vfmadd231ps	%zmm0, %zmm3, %zmm12
	vpbroadcastd	-16(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm11
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	-12(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm9
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	-8(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm7
	vfmadd231ps	%zmm0, %zmm3, %zmm6
	vpbroadcastd	-4(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm5
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	cmpq	%rsi, %rdx
	jne	.L3792
	testb	%r14b, %r14b
	jne	.L3793
	vaddps	0(%r13), %zmm31, %zmm31
	vaddps	64(%r13), %zmm30, %zmm30
	vaddps	128(%r13), %zmm29, %zmm29
	vaddps	192(%r13), %zmm28, %zmm28
	vaddps	256(%r13), %zmm27, %zmm27
	vaddps	320(%r13), %zmm26, %zmm26
	vaddps	384(%r13), %zmm25, %zmm25
	vaddps	448(%r13), %zmm24, %zmm24
	vmovups	%zmm31, 0(%r13)
	vaddps	512(%r13), %zmm23, %zmm23
	vaddps	576(%r13), %zmm22, %zmm22
	vmovups	%zmm30, 64(%r13)
	vaddps	640(%r13), %zmm21, %zmm21
	vaddps	704(%r13), %zmm20, %zmm20
	vmovups	%zmm29, 128(%r13)
	vaddps	768(%r13), %zmm19, %zmm19
	vaddps	832(%r13), %zmm18, %zmm18
	vmovups	%zmm28, 192(%r13)
	vaddps	896(%r13), %zmm17, %zmm17
	vaddps	960(%r13), %zmm16, %zmm16
	vmovups	%zmm27, 256(%r13)
	vmovups	%zmm26, 320(%r13)
	vmovups	%zmm25, 384(%r13)
	vmovups	%zmm24, 448(%r13)
	vmovups	%zmm23, 512(%r13)
	vmovups	%zmm22, 576(%r13)
	vmovups	%zmm21, 640(%r13)
	vmovups	%zmm20, 704(%r13)
	vmovups	%zmm19, 768(%r13)
	vmovups	%zmm18, 832(%r13)
	vmovups	%zmm17, 896(%r13)
	vmovups	%zmm16, 960(%r13)
	vaddps	1024(%r13), %zmm15, %zmm15
	vaddps	1088(%r13), %zmm14, %zmm14
	vaddps	1152(%r13), %zmm13, %zmm13
	vaddps	1216(%r13), %zmm12, %zmm12
	vaddps	1280(%r13), %zmm11, %zmm11
	vaddps	1344(%r13), %zmm10, %zmm10
	vaddps	1408(%r13), %zmm9, %zmm9
	vaddps	1472(%r13), %zmm8, %zmm8
	vmovups	%zmm15, 1024(%r13)
	vaddps	1536(%r13), %zmm7, %zmm7
	vaddps	1600(%r13), %zmm6, %zmm6
	vmovups	%zmm14, 1088(%r13)
	vaddps	1664(%r13), %zmm5, %zmm5
	vaddps	1728(%r13), %zmm4, %zmm4
	vmovups	%zmm13, 1152(%r13)
	vmovups	%zmm12, 1216(%r13)
	vmovups	%zmm11, 1280(%r13)
	vmovups	%zmm10, 1344(%r13)
	vmovups	%zmm9, 1408(%r13)
	vmovups	%zmm8, 1472(%r13)
	vmovups	%zmm7, 1536(%r13)
	vmovups	%zmm6, 1600(%r13)
	vmovups	%zmm5, 1664(%r13)
.L4136:
	subq	$-128, %rbx
	addq	$8192, %r12
	vmovups	%zmm4, 1728(%r13)
	addq	$7168, %rcx
	cmpq	%rbx, %rdi
	jle	.L3795
	xorl	%r14d, %r14d
	jmp	.L3796
.L3793:
	vaddps	%zmm2, %zmm31, %zmm31
	vaddps	%zmm2, %zmm30, %zmm30
	vaddps	%zmm2, %zmm29, %zmm29
	vaddps	%zmm2, %zmm28, %zmm28
	vaddps	%zmm2, %zmm27, %zmm27
	vaddps	%zmm2, %zmm26, %zmm26
	vaddps	%zmm2, %zmm25, %zmm25
	vaddps	%zmm2, %zmm24, %zmm24
	vmovups	%zmm31, 0(%r13)
	vaddps	%zmm2, %zmm23, %zmm23
	vaddps	%zmm2, %zmm22, %zmm22
	vmovups	%zmm30, 64(%r13)
	vaddps	%zmm2, %zmm21, %zmm21
	vaddps	%zmm2, %zmm20, %zmm20
	vmovups	%zmm29, 128(%r13)
	vaddps	%zmm2, %zmm19, %zmm19
	vaddps	%zmm2, %zmm18, %zmm18
	vmovups	%zmm28, 192(%r13)
	vaddps	%zmm2, %zmm17, %zmm17
	vaddps	%zmm2, %zmm16, %zmm16
	vmovups	%zmm27, 256(%r13)
	vaddps	%zmm2, %zmm15, %zmm15
	vaddps	%zmm2, %zmm14, %zmm14
	vmovups	%zmm26, 320(%r13)
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vmovups	%zmm25, 384(%r13)
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vmovups	%zmm24, 448(%r13)
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vmovups	%zmm23, 512(%r13)
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vmovups	%zmm22, 576(%r13)
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vmovups	%zmm21, 640(%r13)
	vmovups	%zmm20, 704(%r13)
	vmovups	%zmm19, 768(%r13)
	vmovups	%zmm18, 832(%r13)
	vmovups	%zmm17, 896(%r13)
	vmovups	%zmm16, 960(%r13)
	vmovups	%zmm15, 1024(%r13)
	vmovups	%zmm14, 1088(%r13)
	vmovups	%zmm13, 1152(%r13)
	vmovups	%zmm12, 1216(%r13)
	vmovups	%zmm11, 1280(%r13)
	vmovups	%zmm10, 1344(%r13)
	vmovups	%zmm9, 1408(%r13)
	vmovups	%zmm8, 1472(%r13)
	vmovups	%zmm7, 1536(%r13)
	vmovups	%zmm6, 1600(%r13)
	vmovups	%zmm5, 1664(%r13)
	jmp	.L4136
.L4201:
	movq	%r8, %rbx
	movl	%r15d, %r14d
	xorl	%esi, %esi
.L3815:
	movq	%rdi, %rax
	movl	$128, %r12d
	vxorps	%xmm4, %xmm4, %xmm4
	subq	%rsi, %rax
	leaq	4096(%rbx), %rdx
	vmovaps	%zmm4, %zmm5
	cmpq	%r12, %rax
	vmovaps	%zmm4, %zmm6
	vmovaps	%zmm4, %zmm7
	cmovg	%r12, %rax
	vmovaps	%zmm4, %zmm8
	vmovaps	%zmm4, %zmm9
	vmovaps	%zmm4, %zmm10
	vmovaps	%zmm4, %zmm11
	salq	$6, %rax
	vmovaps	%zmm4, %zmm12
	vmovaps	%zmm4, %zmm13
	leaq	(%rax,%rdx), %r12
	vmovaps	%zmm4, %zmm14
	movq	%rcx, %rax
	vmovaps	%zmm4, %zmm15
	vmovaps	%zmm4, %zmm16
	vmovaps	%zmm4, %zmm17
	vmovaps	%zmm4, %zmm18
	vmovaps	%zmm4, %zmm19
	vmovaps	%zmm4, %zmm20
	vmovaps	%zmm4, %zmm21
	vmovaps	%zmm4, %zmm22
	vmovaps	%zmm4, %zmm23
	vmovaps	%zmm4, %zmm24
	vmovaps	%zmm4, %zmm25
.L3811:
	prefetcht0	(%rdx)
	addq	$64, %rdx
	vpbroadcastd	(%rax), %zmm3
	vcvtph2ps	-4160(%rdx), %zmm1
	vcvtph2ps	-4128(%rdx), %zmm0
	vfmadd231ps	%zmm1, %zmm3, %zmm25
	addq	$44, %rax
	vfmadd231ps	%zmm0, %zmm3, %zmm24
	vpbroadcastd	-40(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm23
	vfmadd231ps	%zmm0, %zmm3, %zmm22
	vpbroadcastd	-36(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm21
	vfmadd231ps	%zmm0, %zmm3, %zmm20
	vpbroadcastd	-32(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm19
	vfmadd231ps	%zmm0, %zmm3, %zmm18
	vpbroadcastd	-28(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm17
	vfmadd231ps	%zmm0, %zmm3, %zmm16
	vpbroadcastd	-24(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm15
	vfmadd231ps	%zmm0, %zmm3, %zmm14
	vpbroadcastd	-20(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm13
	vfmadd231ps	%zmm0, %zmm3, %zmm12
	vpbroadcastd	-16(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm11
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	-12(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm9
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	-8(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm7
	vfmadd231ps	%zmm0, %zmm3, %zmm6
	vpbroadcastd	-4(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm5
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	cmpq	%r12, %rdx
	jne	.L3811
	testb	%r14b, %r14b
	jne	.L3812
	vaddps	0(%r13), %zmm25, %zmm25
	vaddps	64(%r13), %zmm24, %zmm24
	vaddps	128(%r13), %zmm23, %zmm23
	vaddps	192(%r13), %zmm22, %zmm22
	vaddps	256(%r13), %zmm21, %zmm21
	vaddps	320(%r13), %zmm20, %zmm20
	vaddps	384(%r13), %zmm19, %zmm19
	vaddps	448(%r13), %zmm18, %zmm18
	vmovups	%zmm25, 0(%r13)
	vaddps	512(%r13), %zmm17, %zmm17
	vaddps	576(%r13), %zmm16, %zmm16
	vmovups	%zmm24, 64(%r13)
	vaddps	640(%r13), %zmm15, %zmm15
	vaddps	704(%r13), %zmm14, %zmm14
	vmovups	%zmm23, 128(%r13)
	vaddps	768(%r13), %zmm13, %zmm13
	vaddps	832(%r13), %zmm12, %zmm12
	vmovups	%zmm22, 192(%r13)
	vaddps	896(%r13), %zmm11, %zmm11
	vaddps	960(%r13), %zmm10, %zmm10
	vmovups	%zmm21, 256(%r13)
	vmovups	%zmm20, 320(%r13)
	vmovups	%zmm19, 384(%r13)
	vmovups	%zmm18, 448(%r13)
	vmovups	%zmm17, 512(%r13)
	vmovups	%zmm16, 576(%r13)
	vmovups	%zmm15, 640(%r13)
	vmovups	%zmm14, 704(%r13)
	vmovups	%zmm13, 768(%r13)
	vmovups	%zmm12, 832(%r13)
	vmovups	%zmm11, 896(%r13)
	vmovups	%zmm10, 960(%r13)
	vaddps	1024(%r13), %zmm9, %zmm9
	vaddps	1088(%r13), %zmm8, %zmm8
	vaddps	1152(%r13), %zmm7, %zmm7
	vaddps	1216(%r13), %zmm6, %zmm6
	vaddps	1280(%r13), %zmm5, %zmm5
	vaddps	1344(%r13), %zmm4, %zmm4
	vmovups	%zmm9, 1024(%r13)
	vmovups	%zmm8, 1088(%r13)
	vmovups	%zmm7, 1152(%r13)
	vmovups	%zmm6, 1216(%r13)
	vmovups	%zmm5, 1280(%r13)
.L4139:
	subq	$-128, %rsi
	addq	$8192, %rbx
	vmovups	%zmm4, 1344(%r13)
	addq	$5632, %rcx
	cmpq	%rsi, %rdi
	jle	.L3795
	xorl	%r14d, %r14d
	jmp	.L3815
.L3812:
	vaddps	%zmm2, %zmm25, %zmm25
	vaddps	%zmm2, %zmm24, %zmm24
	vaddps	%zmm2, %zmm23, %zmm23
	vaddps	%zmm2, %zmm22, %zmm22
	vaddps	%zmm2, %zmm21, %zmm21
	vaddps	%zmm2, %zmm20, %zmm20
	vaddps	%zmm2, %zmm19, %zmm19
	vaddps	%zmm2, %zmm18, %zmm18
	vmovups	%zmm25, 0(%r13)
	vaddps	%zmm2, %zmm17, %zmm17
	vaddps	%zmm2, %zmm16, %zmm16
	vmovups	%zmm24, 64(%r13)
	vaddps	%zmm2, %zmm15, %zmm15
	vaddps	%zmm2, %zmm14, %zmm14
	vmovups	%zmm23, 128(%r13)
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vmovups	%zmm22, 192(%r13)
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vmovups	%zmm21, 256(%r13)
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vmovups	%zmm20, 320(%r13)
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vmovups	%zmm19, 384(%r13)
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vmovups	%zmm18, 448(%r13)
	vmovups	%zmm17, 512(%r13)
	vmovups	%zmm16, 576(%r13)
	vmovups	%zmm15, 640(%r13)
	vmovups	%zmm14, 704(%r13)
	vmovups	%zmm13, 768(%r13)
	vmovups	%zmm12, 832(%r13)
	vmovups	%zmm11, 896(%r13)
	vmovups	%zmm10, 960(%r13)
	vmovups	%zmm9, 1024(%r13)
	vmovups	%zmm8, 1088(%r13)
	vmovups	%zmm7, 1152(%r13)
	vmovups	%zmm6, 1216(%r13)
	vmovups	%zmm5, 1280(%r13)
	jmp	.L4139
.L4210:
	movq	152(%rsp), %rsi
	movl	%r15d, %r14d
	xorl	%eax, %eax
	vxorps	%xmm8, %xmm8, %xmm8
.L3869:
	movq	%rdi, %rdx
	movl	$128, %r12d
	vxorps	%xmm0, %xmm0, %xmm0
	subq	%rax, %rdx
	leaq	(%rcx,%rax,8), %rbx
	vmovaps	%zmm0, %zmm1
	cmpq	%r12, %rdx
	vmovaps	%zmm0, %zmm3
	vmovaps	%zmm0, %zmm4
	cmovg	%r12, %rdx
	addq	%rax, %rdx
	leaq	(%rcx,%rdx,8), %r12
	movq	%rsi, %rdx
.L3865:
	vpbroadcastd	(%rbx), %zmm6
	addq	$8, %rbx
	prefetcht0	(%rdx)
	addq	$64, %rdx
	vcvtph2ps	-4160(%rdx), %zmm7
	vcvtph2ps	-4128(%rdx), %zmm5
	vfmadd231ps	%zmm7, %zmm6, %zmm4
	vfmadd231ps	%zmm5, %zmm6, %zmm3
	vpbroadcastd	-4(%rbx), %zmm6
	vfmadd231ps	%zmm7, %zmm6, %zmm1
	vfmadd231ps	%zmm5, %zmm6, %zmm0
	cmpq	%r12, %rbx
	jne	.L3865
	testb	%r14b, %r14b
	jne	.L3866
	vaddps	0(%r13), %zmm4, %zmm4
	vaddps	64(%r13), %zmm3, %zmm3
	vaddps	128(%r13), %zmm1, %zmm1
	vaddps	192(%r13), %zmm0, %zmm0
	vmovups	%zmm4, 0(%r13)
	vmovups	%zmm3, 64(%r13)
	vmovups	%zmm1, 128(%r13)
.L4147:
	subq	$-128, %rax
	addq	$8192, %rsi
	vmovups	%zmm0, 192(%r13)
	cmpq	%rax, %rdi
	jle	.L3795
	xorl	%r14d, %r14d
	jmp	.L3869
.L4211:
	vaddps	0(%r13), %zmm1, %zmm1
	vaddps	64(%r13), %zmm0, %zmm0
	vmovups	%zmm1, 0(%r13)
	jmp	.L4148
.L3866:
	vaddps	%zmm8, %zmm4, %zmm4
	vaddps	%zmm8, %zmm3, %zmm3
	vaddps	%zmm8, %zmm1, %zmm1
	vaddps	%zmm8, %zmm0, %zmm0
	vmovups	%zmm4, 0(%r13)
	vmovups	%zmm3, 64(%r13)
	vmovups	%zmm1, 128(%r13)
	jmp	.L4147
.L4209:
	movq	152(%rsp), %rbx
	movq	%rcx, %rsi
	movl	%r15d, %r14d
	xorl	%eax, %eax
.L3863:
	movq	%rdi, %rdx
	movl	$128, %r12d
	movq	%rax, 136(%rsp)
	vxorps	%xmm0, %xmm0, %xmm0
	subq	%rax, %rdx
	vmovaps	%zmm0, %zmm1
	vmovaps	%zmm0, %zmm3
	cmpq	%r12, %rdx
	vmovaps	%zmm0, %zmm4
	vmovaps	%zmm0, %zmm5
	cmovg	%r12, %rdx
	vmovaps	%zmm0, %zmm6
	movq	%rbx, %r12
	addq	%rax, %rdx
	leaq	(%rdx,%rdx,2), %rdx
	leaq	(%rcx,%rdx,4), %rdx
	vmovq	%rdx, %xmm10
	movq	%rsi, %rdx
.L3859:
	vpbroadcastd	(%rdx), %zmm9
	vmovq	%xmm10, %rax
	addq	$12, %rdx
	vcvtph2ps	-4096(%r12), %zmm8
	vcvtph2ps	-4064(%r12), %zmm7
	vfmadd231ps	%zmm8, %zmm9, %zmm6
	prefetcht0	(%r12)
	addq	$64, %r12
	vfmadd231ps	%zmm7, %zmm9, %zmm5
	vpbroadcastd	-8(%rdx), %zmm9
	vfmadd231ps	%zmm8, %zmm9, %zmm4
	vfmadd231ps	%zmm7, %zmm9, %zmm3
	vpbroadcastd	-4(%rdx), %zmm9
	vfmadd231ps	%zmm8, %zmm9, %zmm1
	vfmadd231ps	%zmm7, %zmm9, %zmm0
	cmpq	%rax, %rdx
	jne	.L3859
	movq	136(%rsp), %rax
	testb	%r14b, %r14b
	jne	.L3860
	vaddps	0(%r13), %zmm6, %zmm6
	vaddps	64(%r13), %zmm5, %zmm5
	vaddps	128(%r13), %zmm4, %zmm4
	vaddps	192(%r13), %zmm3, %zmm3
	vaddps	256(%r13), %zmm1, %zmm1
	vaddps	320(%r13), %zmm0, %zmm0
	vmovups	%zmm6, 0(%r13)
	vmovups	%zmm5, 64(%r13)
	vmovups	%zmm4, 128(%r13)
	vmovups	%zmm3, 192(%r13)
	vmovups	%zmm1, 256(%r13)
.L4146:
	subq	$-128, %rax
	addq	$8192, %rbx
	vmovups	%zmm0, 320(%r13)
	addq	$1536, %rsi
	cmpq	%rax, %rdi
	jle	.L3795
	xorl	%r14d, %r14d
	jmp	.L3863
.L4208:
	movq	152(%rsp), %rbx
	movl	%r15d, %r14d
	xorl	%edx, %edx
.L3857:
	movq	%rdx, %rsi
	movq	%rdi, %rax
	movl	$128, %r12d
	salq	$4, %rsi
	subq	%rdx, %rax
	vxorps	%xmm0, %xmm0, %xmm0
	addq	%rcx, %rsi
	cmpq	%r12, %rax
	vmovaps	%zmm0, %zmm1
	cmovg	%r12, %rax
	vmovaps	%zmm0, %zmm3
	movq	%rbx, %r12
	vmovaps	%zmm0, %zmm4
	vmovaps	%zmm0, %zmm5
	addq	%rdx, %rax
	vmovaps	%zmm0, %zmm6
	vmovaps	%zmm0, %zmm7
	salq	$4, %rax
	vmovaps	%zmm0, %zmm8
	addq	%rcx, %rax
.L3853:
	vpbroadcastd	(%rsi), %zmm11
	addq	$16, %rsi
	prefetcht0	(%r12)
	vcvtph2ps	-4096(%r12), %zmm10
	vcvtph2ps	-4064(%r12), %zmm9
	vfmadd231ps	%zmm10, %zmm11, %zmm8
	addq	$64, %r12
	vfmadd231ps	%zmm9, %zmm11, %zmm7
	vpbroadcastd	-12(%rsi), %zmm11
	vfmadd231ps	%zmm10, %zmm11, %zmm6
	vfmadd231ps	%zmm9, %zmm11, %zmm5
	vpbroadcastd	-8(%rsi), %zmm11
	vfmadd231ps	%zmm10, %zmm11, %zmm4
	vfmadd231ps	%zmm9, %zmm11, %zmm3
	vpbroadcastd	-4(%rsi), %zmm11
	vfmadd231ps	%zmm10, %zmm11, %zmm1
	vfmadd231ps	%zmm9, %zmm11, %zmm0
	cmpq	%rax, %rsi
	jne	.L3853
	testb	%r14b, %r14b
	jne	.L3854
	vaddps	0(%r13), %zmm8, %zmm8
	vaddps	64(%r13), %zmm7, %zmm7
	vaddps	128(%r13), %zmm6, %zmm6
	vaddps	192(%r13), %zmm5, %zmm5
	vaddps	256(%r13), %zmm4, %zmm4
	vaddps	320(%r13), %zmm3, %zmm3
	vaddps	384(%r13), %zmm1, %zmm1
	vmovups	%zmm8, 0(%r13)
	vaddps	448(%r13), %zmm0, %zmm0
	vmovups	%zmm7, 64(%r13)
	vmovups	%zmm6, 128(%r13)
	vmovups	%zmm5, 192(%r13)
	vmovups	%zmm4, 256(%r13)
	vmovups	%zmm3, 320(%r13)
	vmovups	%zmm1, 384(%r13)
.L4145:
	subq	$-128, %rdx
	addq	$8192, %rbx
	vmovups	%zmm0, 448(%r13)
	cmpq	%rdx, %rdi
	jle	.L3795
	xorl	%r14d, %r14d
	jmp	.L3857
.L3860:
	vaddps	%zmm2, %zmm6, %zmm6
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vaddps	%zmm2, %zmm3, %zmm3
	vaddps	%zmm2, %zmm1, %zmm1
	vaddps	%zmm2, %zmm0, %zmm0
	vmovups	%zmm6, 0(%r13)
	vmovups	%zmm5, 64(%r13)
	vmovups	%zmm4, 128(%r13)
	vmovups	%zmm3, 192(%r13)
	vmovups	%zmm1, 256(%r13)
	jmp	.L4146
.L3854:
	vaddps	%zmm2, %zmm8, %zmm8
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vaddps	%zmm2, %zmm3, %zmm3
	vaddps	%zmm2, %zmm1, %zmm1
	vaddps	%zmm2, %zmm0, %zmm0
	vmovups	%zmm8, 0(%r13)
	vmovups	%zmm7, 64(%r13)
	vmovups	%zmm6, 128(%r13)
	vmovups	%zmm5, 192(%r13)
	vmovups	%zmm4, 256(%r13)
	vmovups	%zmm3, 320(%r13)
	vmovups	%zmm1, 384(%r13)
	jmp	.L4145
.L4207:
	movq	152(%rsp), %rbx
	movq	%rcx, %rsi
	movl	%r15d, %r14d
	xorl	%eax, %eax
.L3851:
	movq	%rdi, %rdx
	movl	$128, %r12d
	vxorps	%xmm3, %xmm3, %xmm3
	subq	%rax, %rdx
	vmovaps	%zmm3, %zmm4
	vmovaps	%zmm3, %zmm5
	cmpq	%r12, %rdx
	vmovaps	%zmm3, %zmm6
	vmovaps	%zmm3, %zmm7
	cmovg	%r12, %rdx
	vmovaps	%zmm3, %zmm8
	movq	%rbx, %r12
	vmovaps	%zmm3, %zmm9
	vmovaps	%zmm3, %zmm10
	addq	%rax, %rdx
	vmovaps	%zmm3, %zmm11
	vmovaps	%zmm3, %zmm12
	leaq	(%rdx,%rdx,4), %rdx
	leaq	(%rcx,%rdx,4), %rdx
	movq	%rdx, 136(%rsp)
	movq	%rsi, %rdx
.L3847:
	vpbroadcastd	(%rdx), %zmm13
	prefetcht0	(%r12)
	addq	$20, %rdx
	vcvtph2ps	-4096(%r12), %zmm1
	vcvtph2ps	-4064(%r12), %zmm0
	vfmadd231ps	%zmm1, %zmm13, %zmm12
	addq	$64, %r12
	vfmadd231ps	%zmm0, %zmm13, %zmm11
	vpbroadcastd	-16(%rdx), %zmm13
	vfmadd231ps	%zmm1, %zmm13, %zmm10
	vfmadd231ps	%zmm0, %zmm13, %zmm9
	vpbroadcastd	-12(%rdx), %zmm13
	vfmadd231ps	%zmm1, %zmm13, %zmm8
	vfmadd231ps	%zmm0, %zmm13, %zmm7
	vpbroadcastd	-8(%rdx), %zmm13
	vfmadd231ps	%zmm1, %zmm13, %zmm6
	vfmadd231ps	%zmm0, %zmm13, %zmm5
	vpbroadcastd	-4(%rdx), %zmm13
	vfmadd231ps	%zmm1, %zmm13, %zmm4
	vfmadd231ps	%zmm0, %zmm13, %zmm3
	cmpq	%rdx, 136(%rsp)
	jne	.L3847
	testb	%r14b, %r14b
	jne	.L3848
	vaddps	0(%r13), %zmm12, %zmm12
	vaddps	64(%r13), %zmm11, %zmm11
	vaddps	128(%r13), %zmm10, %zmm10
	vaddps	192(%r13), %zmm9, %zmm9
	vaddps	256(%r13), %zmm8, %zmm8
	vaddps	320(%r13), %zmm7, %zmm7
	vaddps	384(%r13), %zmm6, %zmm6
	vaddps	448(%r13), %zmm5, %zmm5
	vmovups	%zmm12, 0(%r13)
	vaddps	512(%r13), %zmm4, %zmm4
	vaddps	576(%r13), %zmm3, %zmm3
	vmovups	%zmm11, 64(%r13)
	vmovups	%zmm10, 128(%r13)
	vmovups	%zmm9, 192(%r13)
	vmovups	%zmm8, 256(%r13)
	vmovups	%zmm7, 320(%r13)
	vmovups	%zmm6, 384(%r13)
	vmovups	%zmm5, 448(%r13)
	vmovups	%zmm4, 512(%r13)
.L4144:
	subq	$-128, %rax
	addq	$8192, %rbx
	vmovups	%zmm3, 576(%r13)
	addq	$2560, %rsi
	cmpq	%rax, %rdi
	jle	.L3795
	xorl	%r14d, %r14d
	jmp	.L3851
.L4206:
	movq	152(%rsp), %rbx
	movq	%rcx, %rsi
	movl	%r15d, %r14d
	xorl	%edx, %edx
.L3845:
	movq	%rdi, %rax
	movl	$128, %r12d
	movq	%rdx, 136(%rsp)
	vxorps	%xmm3, %xmm3, %xmm3
	subq	%rdx, %rax
	vmovaps	%zmm3, %zmm4
	vmovaps	%zmm3, %zmm5
	cmpq	%r12, %rax
	vmovaps	%zmm3, %zmm6
	vmovaps	%zmm3, %zmm7
	cmovg	%r12, %rax
	vmovaps	%zmm3, %zmm8
	movq	%rbx, %r12
	vmovaps	%zmm3, %zmm9
	vmovaps	%zmm3, %zmm10
	addq	%rdx, %rax
	vmovaps	%zmm3, %zmm11
	vmovaps	%zmm3, %zmm12
	leaq	(%rax,%rax,2), %rax
	vmovaps	%zmm3, %zmm13
	vmovaps	%zmm3, %zmm14
	leaq	(%rcx,%rax,8), %rax
	vmovq	%rax, %xmm16
	movq	%rsi, %rax
.L3841:
	vpbroadcastd	(%rax), %zmm15
	vmovq	%xmm16, %rdx
	addq	$24, %rax
	vcvtph2ps	-4096(%r12), %zmm1
	vcvtph2ps	-4064(%r12), %zmm0
	vfmadd231ps	%zmm1, %zmm15, %zmm14
	prefetcht0	(%r12)
	addq	$64, %r12
	vfmadd231ps	%zmm0, %zmm15, %zmm13
	vpbroadcastd	-20(%rax), %zmm15
	vfmadd231ps	%zmm1, %zmm15, %zmm12
	vfmadd231ps	%zmm0, %zmm15, %zmm11
	vpbroadcastd	-16(%rax), %zmm15
	vfmadd231ps	%zmm1, %zmm15, %zmm10
	vfmadd231ps	%zmm0, %zmm15, %zmm9
	vpbroadcastd	-12(%rax), %zmm15
	vfmadd231ps	%zmm1, %zmm15, %zmm8
	vfmadd231ps	%zmm0, %zmm15, %zmm7
	vpbroadcastd	-8(%rax), %zmm15
	vfmadd231ps	%zmm1, %zmm15, %zmm6
	vfmadd231ps	%zmm0, %zmm15, %zmm5
	vpbroadcastd	-4(%rax), %zmm15
	vfmadd231ps	%zmm1, %zmm15, %zmm4
	vfmadd231ps	%zmm0, %zmm15, %zmm3
	cmpq	%rdx, %rax
	jne	.L3841
	movq	136(%rsp), %rdx
	testb	%r14b, %r14b
	jne	.L3842
	vaddps	0(%r13), %zmm14, %zmm14
	vaddps	64(%r13), %zmm13, %zmm13
	vaddps	128(%r13), %zmm12, %zmm12
	vaddps	192(%r13), %zmm11, %zmm11
	vaddps	256(%r13), %zmm10, %zmm10
	vaddps	320(%r13), %zmm9, %zmm9
	vaddps	384(%r13), %zmm8, %zmm8
	vaddps	448(%r13), %zmm7, %zmm7
	vmovups	%zmm14, 0(%r13)
	vaddps	512(%r13), %zmm6, %zmm6
	vaddps	576(%r13), %zmm5, %zmm5
	vmovups	%zmm13, 64(%r13)
	vaddps	640(%r13), %zmm4, %zmm4
	vaddps	704(%r13), %zmm3, %zmm3
	vmovups	%zmm12, 128(%r13)
	vmovups	%zmm11, 192(%r13)
	vmovups	%zmm10, 256(%r13)
	vmovups	%zmm9, 320(%r13)
	vmovups	%zmm8, 384(%r13)
	vmovups	%zmm7, 448(%r13)
	vmovups	%zmm6, 512(%r13)
	vmovups	%zmm5, 576(%r13)
	vmovups	%zmm4, 640(%r13)
.L4143:
	subq	$-128, %rdx
	addq	$8192, %rbx
	vmovups	%zmm3, 704(%r13)
	addq	$3072, %rsi
	cmpq	%rdx, %rdi
	jle	.L3795
	xorl	%r14d, %r14d
	jmp	.L3845
.L3842:
	vaddps	%zmm2, %zmm14, %zmm14
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vaddps	%zmm2, %zmm7, %zmm7
	vmovups	%zmm14, 0(%r13)
	vaddps	%zmm2, %zmm6, %zmm6
	vaddps	%zmm2, %zmm5, %zmm5
	vmovups	%zmm13, 64(%r13)
	vaddps	%zmm2, %zmm4, %zmm4
	vaddps	%zmm2, %zmm3, %zmm3
	vmovups	%zmm12, 128(%r13)
	vmovups	%zmm11, 192(%r13)
	vmovups	%zmm10, 256(%r13)
	vmovups	%zmm9, 320(%r13)
	vmovups	%zmm8, 384(%r13)
	vmovups	%zmm7, 448(%r13)
	vmovups	%zmm6, 512(%r13)
	vmovups	%zmm5, 576(%r13)
	vmovups	%zmm4, 640(%r13)
	jmp	.L4143
.L3848:
	vaddps	%zmm2, %zmm12, %zmm12
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vaddps	%zmm2, %zmm5, %zmm5
	vmovups	%zmm12, 0(%r13)
	vaddps	%zmm2, %zmm4, %zmm4
	vaddps	%zmm2, %zmm3, %zmm3
	vmovups	%zmm11, 64(%r13)
	vmovups	%zmm10, 128(%r13)
	vmovups	%zmm9, 192(%r13)
	vmovups	%zmm8, 256(%r13)
	vmovups	%zmm7, 320(%r13)
	vmovups	%zmm6, 384(%r13)
	vmovups	%zmm5, 448(%r13)
	vmovups	%zmm4, 512(%r13)
	jmp	.L4144
.L4205:
	movq	%r8, %rbx
	movl	%r15d, %r14d
	xorl	%edx, %edx
.L3839:
	movq	%rdi, %rax
	movl	$128, %esi
	vxorps	%xmm3, %xmm3, %xmm3
	subq	%rdx, %rax
	leaq	4096(%rbx), %r12
	vmovaps	%zmm3, %zmm4
	cmpq	%rsi, %rax
	vmovaps	%zmm3, %zmm5
	vmovaps	%zmm3, %zmm6
	cmovg	%rsi, %rax
	vmovaps	%zmm3, %zmm7
	vmovaps	%zmm3, %zmm8
	vmovaps	%zmm3, %zmm9
	vmovaps	%zmm3, %zmm10
	salq	$6, %rax
	vmovaps	%zmm3, %zmm11
	vmovaps	%zmm3, %zmm12
	leaq	(%rax,%r12), %rsi
	vmovaps	%zmm3, %zmm13
	movq	%rcx, %rax
	vmovaps	%zmm3, %zmm14
	vmovaps	%zmm3, %zmm15
	vmovaps	%zmm3, %zmm16
.L3835:
	prefetcht0	(%r12)
	addq	$64, %r12
	vpbroadcastd	(%rax), %zmm17
	vcvtph2ps	-4160(%r12), %zmm1
	vcvtph2ps	-4128(%r12), %zmm0
	vfmadd231ps	%zmm1, %zmm17, %zmm16
	addq	$28, %rax
	vfmadd231ps	%zmm0, %zmm17, %zmm15
	vpbroadcastd	-24(%rax), %zmm17
	vfmadd231ps	%zmm1, %zmm17, %zmm14
	vfmadd231ps	%zmm0, %zmm17, %zmm13
	vpbroadcastd	-20(%rax), %zmm17
	vfmadd231ps	%zmm1, %zmm17, %zmm12
	vfmadd231ps	%zmm0, %zmm17, %zmm11
	vpbroadcastd	-16(%rax), %zmm17
	vfmadd231ps	%zmm1, %zmm17, %zmm10
	vfmadd231ps	%zmm0, %zmm17, %zmm9
	vpbroadcastd	-12(%rax), %zmm17
	vfmadd231ps	%zmm1, %zmm17, %zmm8
	vfmadd231ps	%zmm0, %zmm17, %zmm7
	vpbroadcastd	-8(%rax), %zmm17
	vfmadd231ps	%zmm1, %zmm17, %zmm6
	vfmadd231ps	%zmm0, %zmm17, %zmm5
	vpbroadcastd	-4(%rax), %zmm17
	vfmadd231ps	%zmm1, %zmm17, %zmm4
	vfmadd231ps	%zmm0, %zmm17, %zmm3
	cmpq	%rsi, %r12
	jne	.L3835
	testb	%r14b, %r14b
	jne	.L3836
	vaddps	0(%r13), %zmm16, %zmm16
	vaddps	64(%r13), %zmm15, %zmm15
	vaddps	128(%r13), %zmm14, %zmm14
	vaddps	192(%r13), %zmm13, %zmm13
	vaddps	256(%r13), %zmm12, %zmm12
	vaddps	320(%r13), %zmm11, %zmm11
	vaddps	384(%r13), %zmm10, %zmm10
	vaddps	448(%r13), %zmm9, %zmm9
	vmovups	%zmm16, 0(%r13)
	vaddps	512(%r13), %zmm8, %zmm8
	vaddps	576(%r13), %zmm7, %zmm7
	vmovups	%zmm15, 64(%r13)
	vaddps	640(%r13), %zmm6, %zmm6
	vaddps	704(%r13), %zmm5, %zmm5
	vmovups	%zmm14, 128(%r13)
	vaddps	768(%r13), %zmm4, %zmm4
	vaddps	832(%r13), %zmm3, %zmm3
	vmovups	%zmm13, 192(%r13)
	vmovups	%zmm12, 256(%r13)
	vmovups	%zmm11, 320(%r13)
	vmovups	%zmm10, 384(%r13)
	vmovups	%zmm9, 448(%r13)
	vmovups	%zmm8, 512(%r13)
	vmovups	%zmm7, 576(%r13)
	vmovups	%zmm6, 640(%r13)
	vmovups	%zmm5, 704(%r13)
	vmovups	%zmm4, 768(%r13)
.L4142:
	subq	$-128, %rdx
	addq	$8192, %rbx
	vmovups	%zmm3, 832(%r13)
	addq	$3584, %rcx
	cmpq	%rdx, %rdi
	jle	.L3795
	xorl	%r14d, %r14d
	jmp	.L3839
.L3836:
	vaddps	%zmm2, %zmm16, %zmm16
	vaddps	%zmm2, %zmm15, %zmm15
	vaddps	%zmm2, %zmm14, %zmm14
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vaddps	%zmm2, %zmm9, %zmm9
	vmovups	%zmm16, 0(%r13)
	vaddps	%zmm2, %zmm8, %zmm8
	vaddps	%zmm2, %zmm7, %zmm7
	vmovups	%zmm15, 64(%r13)
	vaddps	%zmm2, %zmm6, %zmm6
	vaddps	%zmm2, %zmm5, %zmm5
	vmovups	%zmm14, 128(%r13)
	vaddps	%zmm2, %zmm4, %zmm4
	vaddps	%zmm2, %zmm3, %zmm3
	vmovups	%zmm13, 192(%r13)
	vmovups	%zmm12, 256(%r13)
	vmovups	%zmm11, 320(%r13)
	vmovups	%zmm10, 384(%r13)
	vmovups	%zmm9, 448(%r13)
	vmovups	%zmm8, 512(%r13)
	vmovups	%zmm7, 576(%r13)
	vmovups	%zmm6, 640(%r13)
	vmovups	%zmm5, 704(%r13)
	vmovups	%zmm4, 768(%r13)
	jmp	.L4142
.L4204:
	movq	152(%rsp), %rbx
	movl	%r15d, %r14d
	xorl	%esi, %esi
.L3833:
	movq	%rsi, %rax
	movq	%rdi, %rdx
	movl	$128, %r12d
	salq	$5, %rax
	subq	%rsi, %rdx
	vxorps	%xmm17, %xmm17, %xmm17
	addq	%rcx, %rax
	cmpq	%r12, %rdx
	vmovaps	%zmm17, %zmm18
	cmovg	%r12, %rdx
	vmovaps	%zmm17, %zmm3
	movq	%rbx, %r12
	vmovaps	%zmm17, %zmm4
	vmovaps	%zmm17, %zmm5
	addq	%rsi, %rdx
	vmovaps	%zmm17, %zmm6
	vmovaps	%zmm17, %zmm7
	salq	$5, %rdx
	vmovaps	%zmm17, %zmm8
	vmovaps	%zmm17, %zmm9
	addq	%rcx, %rdx
	vmovaps	%zmm17, %zmm10
	vmovaps	%zmm17, %zmm11
	vmovaps	%zmm17, %zmm12
	vmovaps	%zmm17, %zmm13
	vmovaps	%zmm17, %zmm14
	vmovaps	%zmm17, %zmm15
	vmovaps	%zmm17, %zmm16
.L3829:
	vpbroadcastd	(%rax), %zmm19
	addq	$32, %rax
	prefetcht0	(%r12)
	vcvtph2ps	-4096(%r12), %zmm1
	vcvtph2ps	-4064(%r12), %zmm0
	vfmadd231ps	%zmm1, %zmm19, %zmm16
	addq	$64, %r12
	vfmadd231ps	%zmm0, %zmm19, %zmm15
	vpbroadcastd	-28(%rax), %zmm19
	vfmadd231ps	%zmm1, %zmm19, %zmm14
	vfmadd231ps	%zmm0, %zmm19, %zmm13
	vpbroadcastd	-24(%rax), %zmm19
	vfmadd231ps	%zmm1, %zmm19, %zmm12
	vfmadd231ps	%zmm0, %zmm19, %zmm11
	vpbroadcastd	-20(%rax), %zmm19
	vfmadd231ps	%zmm1, %zmm19, %zmm10
	vfmadd231ps	%zmm0, %zmm19, %zmm9
	vpbroadcastd	-16(%rax), %zmm19
	vfmadd231ps	%zmm1, %zmm19, %zmm8
	vfmadd231ps	%zmm0, %zmm19, %zmm7
	vpbroadcastd	-12(%rax), %zmm19
	vfmadd231ps	%zmm1, %zmm19, %zmm6
	vfmadd231ps	%zmm0, %zmm19, %zmm5
	vpbroadcastd	-8(%rax), %zmm19
	vfmadd231ps	%zmm1, %zmm19, %zmm4
	vfmadd231ps	%zmm0, %zmm19, %zmm3
	vpbroadcastd	-4(%rax), %zmm19
	vfmadd231ps	%zmm1, %zmm19, %zmm18
	vfmadd231ps	%zmm0, %zmm19, %zmm17
	cmpq	%rax, %rdx
	jne	.L3829
	testb	%r14b, %r14b
	jne	.L3830
	vaddps	0(%r13), %zmm16, %zmm16
	vaddps	64(%r13), %zmm15, %zmm15
	vaddps	128(%r13), %zmm14, %zmm14
	vaddps	192(%r13), %zmm13, %zmm13
	vaddps	256(%r13), %zmm12, %zmm12
	vaddps	320(%r13), %zmm11, %zmm11
	vaddps	384(%r13), %zmm10, %zmm10
	vaddps	448(%r13), %zmm9, %zmm9
	vmovups	%zmm16, 0(%r13)
	vaddps	512(%r13), %zmm8, %zmm8
	vaddps	576(%r13), %zmm7, %zmm7
	vmovups	%zmm15, 64(%r13)
	vaddps	640(%r13), %zmm6, %zmm6
	vaddps	704(%r13), %zmm5, %zmm5
	vmovups	%zmm14, 128(%r13)
	vaddps	768(%r13), %zmm4, %zmm4
	vaddps	832(%r13), %zmm3, %zmm3
	vmovups	%zmm13, 192(%r13)
	vaddps	896(%r13), %zmm18, %zmm18
	vaddps	960(%r13), %zmm17, %zmm17
	vmovups	%zmm12, 256(%r13)
	vmovups	%zmm11, 320(%r13)
	vmovups	%zmm10, 384(%r13)
	vmovups	%zmm9, 448(%r13)
	vmovups	%zmm8, 512(%r13)
	vmovups	%zmm7, 576(%r13)
	vmovups	%zmm6, 640(%r13)
	vmovups	%zmm5, 704(%r13)
	vmovups	%zmm4, 768(%r13)
	vmovups	%zmm3, 832(%r13)
	vmovups	%zmm18, 896(%r13)
.L4141:
	subq	$-128, %rsi
	addq	$8192, %rbx
	vmovups	%zmm17, 960(%r13)
	cmpq	%rsi, %rdi
	jle	.L3795
	xorl	%r14d, %r14d
	jmp	.L3833
.L3830:
	vaddps	%zmm2, %zmm16, %zmm16
	vaddps	%zmm2, %zmm15, %zmm15
	vaddps	%zmm2, %zmm14, %zmm14
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vaddps	%zmm2, %zmm9, %zmm9
	vmovups	%zmm16, 0(%r13)
	vaddps	%zmm2, %zmm8, %zmm8
	vaddps	%zmm2, %zmm7, %zmm7
	vmovups	%zmm15, 64(%r13)
	vaddps	%zmm2, %zmm6, %zmm6
	vaddps	%zmm2, %zmm5, %zmm5
	vmovups	%zmm14, 128(%r13)
	vaddps	%zmm2, %zmm4, %zmm4
	vaddps	%zmm2, %zmm3, %zmm3
	vmovups	%zmm13, 192(%r13)
	vaddps	%zmm2, %zmm18, %zmm18
	vaddps	%zmm2, %zmm17, %zmm17
	vmovups	%zmm12, 256(%r13)
	vmovups	%zmm11, 320(%r13)
	vmovups	%zmm10, 384(%r13)
	vmovups	%zmm9, 448(%r13)
	vmovups	%zmm8, 512(%r13)
	vmovups	%zmm7, 576(%r13)
	vmovups	%zmm6, 640(%r13)
	vmovups	%zmm5, 704(%r13)
	vmovups	%zmm4, 768(%r13)
	vmovups	%zmm3, 832(%r13)
	vmovups	%zmm18, 896(%r13)
	jmp	.L4141
.L4203:
	movq	152(%rsp), %rbx
	movq	%rcx, %rsi
	movl	%r15d, %r14d
	xorl	%edx, %edx
.L3827:
	movq	%rdi, %rax
	movl	$128, %r12d
	movq	%rdx, 136(%rsp)
	vxorps	%xmm15, %xmm15, %xmm15
	subq	%rdx, %rax
	vmovaps	%zmm15, %zmm16
	vmovaps	%zmm15, %zmm17
	cmpq	%r12, %rax
	vmovaps	%zmm15, %zmm18
	vmovaps	%zmm15, %zmm19
	cmovg	%r12, %rax
	vmovaps	%zmm15, %zmm20
	movq	%rbx, %r12
	vmovaps	%zmm15, %zmm3
	vmovaps	%zmm15, %zmm4
	addq	%rdx, %rax
	vmovaps	%zmm15, %zmm5
	vmovaps	%zmm15, %zmm6
	leaq	(%rax,%rax,8), %rax
	vmovaps	%zmm15, %zmm7
	vmovaps	%zmm15, %zmm8
	leaq	(%rcx,%rax,4), %rax
	vmovaps	%zmm15, %zmm9
	vmovaps	%zmm15, %zmm10
	vmovq	%rax, %xmm22
	vmovaps	%zmm15, %zmm11
	movq	%rsi, %rax
	vmovaps	%zmm15, %zmm12
	vmovaps	%zmm15, %zmm13
	vmovaps	%zmm15, %zmm14
.L3823:
	vpbroadcastd	(%rax), %zmm21
	vmovq	%xmm22, %rdx
	addq	$36, %rax
	vcvtph2ps	-4096(%r12), %zmm1
	vcvtph2ps	-4064(%r12), %zmm0
	vfmadd231ps	%zmm1, %zmm21, %zmm14
	prefetcht0	(%r12)
	addq	$64, %r12
	vfmadd231ps	%zmm0, %zmm21, %zmm13
	vpbroadcastd	-32(%rax), %zmm21
	vfmadd231ps	%zmm1, %zmm21, %zmm12
	vfmadd231ps	%zmm0, %zmm21, %zmm11
	vpbroadcastd	-28(%rax), %zmm21
	vfmadd231ps	%zmm1, %zmm21, %zmm10
	vfmadd231ps	%zmm0, %zmm21, %zmm9
	vpbroadcastd	-24(%rax), %zmm21
	vfmadd231ps	%zmm1, %zmm21, %zmm8
	vfmadd231ps	%zmm0, %zmm21, %zmm7
	vpbroadcastd	-20(%rax), %zmm21
	vfmadd231ps	%zmm1, %zmm21, %zmm6
	vfmadd231ps	%zmm0, %zmm21, %zmm5
	vpbroadcastd	-16(%rax), %zmm21
	vfmadd231ps	%zmm1, %zmm21, %zmm4
	vfmadd231ps	%zmm0, %zmm21, %zmm3
	vpbroadcastd	-12(%rax), %zmm21
	vfmadd231ps	%zmm1, %zmm21, %zmm20
	vfmadd231ps	%zmm0, %zmm21, %zmm19
	vpbroadcastd	-8(%rax), %zmm21
	vfmadd231ps	%zmm1, %zmm21, %zmm18
	vfmadd231ps	%zmm0, %zmm21, %zmm17
	vpbroadcastd	-4(%rax), %zmm21
	vfmadd231ps	%zmm1, %zmm21, %zmm16
	vfmadd231ps	%zmm0, %zmm21, %zmm15
	cmpq	%rdx, %rax
	jne	.L3823
	movq	136(%rsp), %rdx
	testb	%r14b, %r14b
	jne	.L3824
	vaddps	0(%r13), %zmm14, %zmm14
	vaddps	64(%r13), %zmm13, %zmm13
	vaddps	128(%r13), %zmm12, %zmm12
	vaddps	192(%r13), %zmm11, %zmm11
	vaddps	256(%r13), %zmm10, %zmm10
	vaddps	320(%r13), %zmm9, %zmm9
	vaddps	384(%r13), %zmm8, %zmm8
	vaddps	448(%r13), %zmm7, %zmm7
	vmovups	%zmm14, 0(%r13)
	vaddps	512(%r13), %zmm6, %zmm6
	vaddps	576(%r13), %zmm5, %zmm5
	vmovups	%zmm13, 64(%r13)
	vaddps	640(%r13), %zmm4, %zmm4
	vaddps	704(%r13), %zmm3, %zmm3
	vmovups	%zmm12, 128(%r13)
	vaddps	768(%r13), %zmm20, %zmm20
	vaddps	832(%r13), %zmm19, %zmm19
	vmovups	%zmm11, 192(%r13)
	vaddps	896(%r13), %zmm18, %zmm18
	vaddps	960(%r13), %zmm17, %zmm17
	vmovups	%zmm10, 256(%r13)
	vmovups	%zmm9, 320(%r13)
	vmovups	%zmm8, 384(%r13)
	vmovups	%zmm7, 448(%r13)
	vmovups	%zmm6, 512(%r13)
	vmovups	%zmm5, 576(%r13)
	vmovups	%zmm4, 640(%r13)
	vmovups	%zmm3, 704(%r13)
	vmovups	%zmm20, 768(%r13)
	vmovups	%zmm19, 832(%r13)
	vmovups	%zmm18, 896(%r13)
	vmovups	%zmm17, 960(%r13)
	vaddps	1024(%r13), %zmm16, %zmm16
	vaddps	1088(%r13), %zmm15, %zmm15
	vmovups	%zmm16, 1024(%r13)
.L4140:
	subq	$-128, %rdx
	addq	$8192, %rbx
	vmovups	%zmm15, 1088(%r13)
	addq	$4608, %rsi
	cmpq	%rdx, %rdi
	jle	.L3795
	xorl	%r14d, %r14d
	jmp	.L3827
.L3824:
	vaddps	%zmm2, %zmm14, %zmm14
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vaddps	%zmm2, %zmm7, %zmm7
	vmovups	%zmm14, 0(%r13)
	vaddps	%zmm2, %zmm6, %zmm6
	vaddps	%zmm2, %zmm5, %zmm5
	vmovups	%zmm13, 64(%r13)
	vaddps	%zmm2, %zmm4, %zmm4
	vaddps	%zmm2, %zmm3, %zmm3
	vmovups	%zmm12, 128(%r13)
	vaddps	%zmm2, %zmm20, %zmm20
	vaddps	%zmm2, %zmm19, %zmm19
	vmovups	%zmm11, 192(%r13)
	vaddps	%zmm2, %zmm18, %zmm18
	vaddps	%zmm2, %zmm17, %zmm17
	vmovups	%zmm10, 256(%r13)
	vaddps	%zmm2, %zmm16, %zmm16
	vaddps	%zmm2, %zmm15, %zmm15
	vmovups	%zmm9, 320(%r13)
	vmovups	%zmm8, 384(%r13)
	vmovups	%zmm7, 448(%r13)
	vmovups	%zmm6, 512(%r13)
	vmovups	%zmm5, 576(%r13)
	vmovups	%zmm4, 640(%r13)
	vmovups	%zmm3, 704(%r13)
	vmovups	%zmm20, 768(%r13)
	vmovups	%zmm19, 832(%r13)
	vmovups	%zmm18, 896(%r13)
	vmovups	%zmm17, 960(%r13)
	vmovups	%zmm16, 1024(%r13)
	jmp	.L4140
.L4202:
	movq	%r8, 136(%rsp)
	movq	%rcx, %rbx
	movl	%r15d, %r14d
	xorl	%esi, %esi
	movq	152(%rsp), %r12
.L3821:
	movq	%rdi, %rax
	movl	$128, %edx
	vxorps	%xmm4, %xmm4, %xmm4
	subq	%rsi, %rax
	vmovaps	%zmm4, %zmm5
	vmovaps	%zmm4, %zmm6
	cmpq	%rdx, %rax
	vmovaps	%zmm4, %zmm7
	vmovaps	%zmm4, %zmm8
	cmovg	%rdx, %rax
	vmovaps	%zmm4, %zmm9
	movq	%r12, %rdx
	vmovaps	%zmm4, %zmm10
	vmovaps	%zmm4, %zmm11
	addq	%rsi, %rax
	vmovaps	%zmm4, %zmm12
	vmovaps	%zmm4, %zmm13
	leaq	(%rax,%rax,4), %rax
	vmovaps	%zmm4, %zmm14
	vmovaps	%zmm4, %zmm15
	leaq	(%rcx,%rax,8), %r8
	vmovaps	%zmm4, %zmm16
	movq	%rbx, %rax
	vmovaps	%zmm4, %zmm17
	vmovaps	%zmm4, %zmm18
	vmovaps	%zmm4, %zmm19
	vmovaps	%zmm4, %zmm20
	vmovaps	%zmm4, %zmm21
	vmovaps	%zmm4, %zmm22
	vmovaps	%zmm4, %zmm23
.L3817:
	vpbroadcastd	(%rax), %zmm3
	addq	$40, %rax
	prefetcht0	(%rdx)
	addq	$64, %rdx
	vcvtph2ps	-4160(%rdx), %zmm1
	vcvtph2ps	-4128(%rdx), %zmm0
	vfmadd231ps	%zmm1, %zmm3, %zmm23
	vfmadd231ps	%zmm0, %zmm3, %zmm22
	vpbroadcastd	-36(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm21
	vfmadd231ps	%zmm0, %zmm3, %zmm20
	vpbroadcastd	-32(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm19
	vfmadd231ps	%zmm0, %zmm3, %zmm18
	vpbroadcastd	-28(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm17
	vfmadd231ps	%zmm0, %zmm3, %zmm16
	vpbroadcastd	-24(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm15
	vfmadd231ps	%zmm0, %zmm3, %zmm14
	vpbroadcastd	-20(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm13
	vfmadd231ps	%zmm0, %zmm3, %zmm12
	vpbroadcastd	-16(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm11
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	-12(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm9
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	-8(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm7
	vfmadd231ps	%zmm0, %zmm3, %zmm6
	vpbroadcastd	-4(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm5
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	cmpq	%r8, %rax
	jne	.L3817
	testb	%r14b, %r14b
	jne	.L3818
	vaddps	0(%r13), %zmm23, %zmm23
	vaddps	64(%r13), %zmm22, %zmm22
	vaddps	128(%r13), %zmm21, %zmm21
	vaddps	192(%r13), %zmm20, %zmm20
	vaddps	256(%r13), %zmm19, %zmm19
	vaddps	320(%r13), %zmm18, %zmm18
	vaddps	384(%r13), %zmm17, %zmm17
	vaddps	448(%r13), %zmm16, %zmm16
	vmovups	%zmm23, 0(%r13)
	vaddps	512(%r13), %zmm15, %zmm15
	vaddps	576(%r13), %zmm14, %zmm14
	vmovups	%zmm22, 64(%r13)
	vaddps	640(%r13), %zmm13, %zmm13
	vaddps	704(%r13), %zmm12, %zmm12
	vmovups	%zmm21, 128(%r13)
	vaddps	768(%r13), %zmm11, %zmm11
	vaddps	832(%r13), %zmm10, %zmm10
	vmovups	%zmm20, 192(%r13)
	vaddps	896(%r13), %zmm9, %zmm9
	vaddps	960(%r13), %zmm8, %zmm8
	vmovups	%zmm19, 256(%r13)
	vmovups	%zmm18, 320(%r13)
	vmovups	%zmm17, 384(%r13)
	vmovups	%zmm16, 448(%r13)
	vmovups	%zmm15, 512(%r13)
	vmovups	%zmm14, 576(%r13)
	vmovups	%zmm13, 640(%r13)
	vmovups	%zmm12, 704(%r13)
	vmovups	%zmm11, 768(%r13)
	vmovups	%zmm10, 832(%r13)
	vmovups	%zmm9, 896(%r13)
	vmovups	%zmm8, 960(%r13)
	vaddps	1024(%r13), %zmm7, %zmm7
	vaddps	1088(%r13), %zmm6, %zmm6
	vaddps	1152(%r13), %zmm5, %zmm5
	vaddps	1216(%r13), %zmm4, %zmm4
	vmovups	%zmm7, 1024(%r13)
	vmovups	%zmm6, 1088(%r13)
	vmovups	%zmm5, 1152(%r13)
.L4155:
	subq	$-128, %rsi
	addq	$8192, %r12
	vmovups	%zmm4, 1216(%r13)
	addq	$5120, %rbx
	cmpq	%rsi, %rdi
	jle	.L4106
	xorl	%r14d, %r14d
	jmp	.L3821
.L3818:
	vaddps	%zmm2, %zmm23, %zmm23
	vaddps	%zmm2, %zmm22, %zmm22
	vaddps	%zmm2, %zmm21, %zmm21
	vaddps	%zmm2, %zmm20, %zmm20
	vaddps	%zmm2, %zmm19, %zmm19
	vaddps	%zmm2, %zmm18, %zmm18
	vaddps	%zmm2, %zmm17, %zmm17
	vaddps	%zmm2, %zmm16, %zmm16
	vmovups	%zmm23, 0(%r13)
	vaddps	%zmm2, %zmm15, %zmm15
	vaddps	%zmm2, %zmm14, %zmm14
	vmovups	%zmm22, 64(%r13)
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vmovups	%zmm21, 128(%r13)
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vmovups	%zmm20, 192(%r13)
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vmovups	%zmm19, 256(%r13)
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vmovups	%zmm18, 320(%r13)
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vmovups	%zmm17, 384(%r13)
	vmovups	%zmm16, 448(%r13)
	vmovups	%zmm15, 512(%r13)
	vmovups	%zmm14, 576(%r13)
	vmovups	%zmm13, 640(%r13)
	vmovups	%zmm12, 704(%r13)
	vmovups	%zmm11, 768(%r13)
	vmovups	%zmm10, 832(%r13)
	vmovups	%zmm9, 896(%r13)
	vmovups	%zmm8, 960(%r13)
	vmovups	%zmm7, 1024(%r13)
	vmovups	%zmm6, 1088(%r13)
	vmovups	%zmm5, 1152(%r13)
	jmp	.L4155
.L4106:
	movq	136(%rsp), %r8
	jmp	.L3795
.L4150:
	movq	224(%rsp), %rcx
	movq	%rsi, %r14
.L3961:
	movq	112(%rcx), %rax
	testq	%rax, %rax
	je	.L3965
	testq	%r14, %r14
	jle	.L3965
	movq	%r10, 136(%rsp)
	movq	232(%rsp), %rsi
	leaq	376(%rsp), %rdi
	leaq	0(,%r14,4), %rdx
	movq	%r11, 144(%rsp)
	movq	%rcx, 152(%rsp)
	leaq	(%rax,%rsi,4), %rsi
	vzeroupper
	call	memcpy@PLT
	movq	136(%rsp), %r10
	movq	144(%rsp), %r11
	movq	152(%rsp), %rcx
	vxorps	%xmm2, %xmm2, %xmm2
.L3965:
	movl	8(%r11), %edx
	movq	8(%r10), %rax
	cmpl	$1, %edx
	je	.L3989
	cmpl	$2, %edx
	jne	.L3990
	movq	%r13, %r14
	xorl	%r12d, %r12d
	leaq	224(%rsp), %rbx
	testq	%rax, %rax
	jle	.L3993
	movq	%r13, 152(%rsp)
	movq	%r11, %r13
	vzeroupper
.L4004:
	movq	(%r10), %rsi
	movq	%r14, %rdx
	movq	%rbx, %rdi
	movq	%r10, 144(%rsp)
	subq	$-128, %r14
	addq	%r12, %rsi
	addq	$1, %r12
	call	_ZNK10torchpaged12_GLOBAL__N_111PanelFinish3rowINS0_8BFloat16EEEvlPKf
	movq	144(%rsp), %r10
	vxorps	%xmm2, %xmm2, %xmm2
	cmpq	8(%r10), %r12
	jl	.L4004
	movq	%r13, %r11
	movq	152(%rsp), %r13
.L3993:
	addq	$1, %r15
	cmpq	%r15, 104(%rsp)
	jne	.L3787
	vzeroupper
.L4134:
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
.L4192:
	.cfi_restore_state
	movq	%rcx, 136(%rsp)
	xorl	%r12d, %r12d
	kmovb	%r15d, %k0
.L3935:
	movq	%r12, %rcx
	movq	%rdi, %rax
	movl	$128, %ebx
	salq	$6, %rcx
	subq	%r12, %rax
	vxorps	%xmm4, %xmm4, %xmm4
	addq	%r8, %rcx
	cmpq	%rbx, %rax
	vmovaps	%zmm4, %zmm5
	cmovg	%rbx, %rax
	vmovaps	%zmm4, %zmm6
	movq	%rsi, %rbx
	vmovaps	%zmm4, %zmm7
	vmovaps	%zmm4, %zmm8
	salq	$6, %rax
	vmovaps	%zmm4, %zmm9
	vmovaps	%zmm4, %zmm10
	leaq	(%rax,%rsi), %r14
	movq	136(%rsp), %rax
	vmovaps	%zmm4, %zmm11
	vmovaps	%zmm4, %zmm12
	vmovaps	%zmm4, %zmm13
.L3931:
	prefetcht1	(%rbx)
	addq	$64, %rbx
	vpbroadcastd	(%rax), %zmm3
	vcvtph2ps	(%rcx), %zmm1
	vcvtph2ps	32(%rcx), %zmm0
	vfmadd231ps	%zmm1, %zmm3, %zmm13
	addq	$64, %rcx
	addq	$20, %rax
	vfmadd231ps	%zmm0, %zmm3, %zmm12
	vpbroadcastd	-16(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm11
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	-12(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm9
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	-8(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm7
	vfmadd231ps	%zmm0, %zmm3, %zmm6
	vpbroadcastd	-4(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm5
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	cmpq	%r14, %rbx
	jne	.L3931
	kortestb	%k0, %k0
	jne	.L3932
	vaddps	(%rdx), %zmm13, %zmm13
	vaddps	64(%rdx), %zmm12, %zmm12
	vaddps	128(%rdx), %zmm11, %zmm11
	vaddps	192(%rdx), %zmm10, %zmm10
	vaddps	256(%rdx), %zmm9, %zmm9
	vaddps	320(%rdx), %zmm8, %zmm8
	vaddps	384(%rdx), %zmm7, %zmm7
	vmovups	%zmm13, (%rdx)
	vaddps	448(%rdx), %zmm6, %zmm6
	vaddps	512(%rdx), %zmm5, %zmm5
	vaddps	576(%rdx), %zmm4, %zmm4
	vmovups	%zmm12, 64(%rdx)
	vmovups	%zmm11, 128(%rdx)
	vmovups	%zmm10, 192(%rdx)
	vmovups	%zmm9, 256(%rdx)
	vmovups	%zmm8, 320(%rdx)
	vmovups	%zmm7, 384(%rdx)
	vmovups	%zmm6, 448(%rdx)
	vmovups	%zmm5, 512(%rdx)
.L4149:
	subq	$-128, %r12
	addq	$8192, %rsi
	addq	$2560, 136(%rsp)
	vmovups	%zmm4, 576(%rdx)
	cmpq	%r12, %rdi
	jle	.L3795
	kxorb	%k0, %k0, %k0
	jmp	.L3935
.L3932:
	vaddps	%zmm2, %zmm13, %zmm13
	vaddps	%zmm2, %zmm12, %zmm12
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vmovups	%zmm13, (%rdx)
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vmovups	%zmm12, 64(%rdx)
	vmovups	%zmm11, 128(%rdx)
	vmovups	%zmm10, 192(%rdx)
	vmovups	%zmm9, 256(%rdx)
	vmovups	%zmm8, 320(%rdx)
	vmovups	%zmm7, 384(%rdx)
	vmovups	%zmm6, 448(%rdx)
	vmovups	%zmm5, 512(%rdx)
	jmp	.L4149
.L4194:
	xorl	%eax, %eax
	movq	%rcx, %r12
	vmovq	%r11, %xmm14
	kmovb	%r15d, %k0
.L3947:
	movq	%rax, %rbx
	movq	%rdi, %rcx
	movl	$128, %r14d
	movq	%rsi, %r11
	salq	$6, %rbx
	subq	%rax, %rcx
	vxorps	%xmm0, %xmm0, %xmm0
	addq	%r8, %rbx
	cmpq	%r14, %rcx
	vmovaps	%zmm0, %zmm1
	cmovg	%r14, %rcx
	vmovaps	%zmm0, %zmm3
	movq	%r12, %r14
	vmovaps	%zmm0, %zmm4
	vmovaps	%zmm0, %zmm5
	salq	$6, %rcx
	vmovaps	%zmm0, %zmm6
	addq	%rsi, %rcx
.L3943:
	prefetcht1	(%r11)
	addq	$64, %r11
	vpbroadcastd	(%r14), %zmm9
	vcvtph2ps	(%rbx), %zmm8
	vcvtph2ps	32(%rbx), %zmm7
	vfmadd231ps	%zmm8, %zmm9, %zmm6
	addq	$64, %rbx
	addq	$12, %r14
	vfmadd231ps	%zmm7, %zmm9, %zmm5
	vpbroadcastd	-8(%r14), %zmm9
	vfmadd231ps	%zmm8, %zmm9, %zmm4
	vfmadd231ps	%zmm7, %zmm9, %zmm3
	vpbroadcastd	-4(%r14), %zmm9
	vfmadd231ps	%zmm8, %zmm9, %zmm1
	vfmadd231ps	%zmm7, %zmm9, %zmm0
	cmpq	%r11, %rcx
	jne	.L3943
	kortestb	%k0, %k0
	jne	.L3944
	vaddps	(%rdx), %zmm6, %zmm6
	vaddps	64(%rdx), %zmm5, %zmm5
	vaddps	128(%rdx), %zmm4, %zmm4
	vaddps	192(%rdx), %zmm3, %zmm3
	vaddps	256(%rdx), %zmm1, %zmm1
	vaddps	320(%rdx), %zmm0, %zmm0
	vmovups	%zmm6, (%rdx)
	vmovups	%zmm5, 64(%rdx)
	vmovups	%zmm4, 128(%rdx)
	vmovups	%zmm3, 192(%rdx)
	vmovups	%zmm1, 256(%rdx)
.L4177:
	subq	$-128, %rax
	addq	$8192, %rsi
	vmovups	%zmm0, 320(%rdx)
	addq	$1536, %r12
	cmpq	%rax, %rdi
	jle	.L4127
	kxorb	%k0, %k0, %k0
	jmp	.L3947
.L3944:
	vaddps	%zmm2, %zmm6, %zmm6
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vaddps	%zmm2, %zmm3, %zmm3
	vaddps	%zmm2, %zmm1, %zmm1
	vaddps	%zmm2, %zmm0, %zmm0
	vmovups	%zmm6, (%rdx)
	vmovups	%zmm5, 64(%rdx)
	vmovups	%zmm4, 128(%rdx)
	vmovups	%zmm3, 192(%rdx)
	vmovups	%zmm1, 256(%rdx)
	jmp	.L4177
.L4193:
	movq	%r9, 136(%rsp)
	xorl	%ebx, %ebx
	movq	%rsi, %r14
	kmovb	%r15d, %k0
.L3941:
	movq	%rbx, %rsi
	movq	%rbx, %rax
	movq	%rdi, %r12
	movl	$128, %r9d
	salq	$6, %rsi
	salq	$4, %rax
	subq	%rbx, %r12
	vxorps	%xmm4, %xmm4, %xmm4
	addq	%r8, %rsi
	addq	%rcx, %rax
	cmpq	%r9, %r12
	cmovg	%r9, %r12
	vmovaps	%zmm4, %zmm5
	vmovaps	%zmm4, %zmm6
	vmovaps	%zmm4, %zmm7
	vmovaps	%zmm4, %zmm8
	salq	$6, %r12
	vmovaps	%zmm4, %zmm9
	vmovaps	%zmm4, %zmm10
	leaq	(%r12,%r14), %r9
	vmovaps	%zmm4, %zmm11
	movq	%r14, %r12
.L3937:
	prefetcht1	(%r12)
	addq	$64, %r12
	vpbroadcastd	(%rax), %zmm3
	vcvtph2ps	(%rsi), %zmm1
	vcvtph2ps	32(%rsi), %zmm0
	vfmadd231ps	%zmm1, %zmm3, %zmm11
	addq	$64, %rsi
	addq	$16, %rax
	vfmadd231ps	%zmm0, %zmm3, %zmm10
	vpbroadcastd	-12(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm9
	vfmadd231ps	%zmm0, %zmm3, %zmm8
	vpbroadcastd	-8(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm7
	vfmadd231ps	%zmm0, %zmm3, %zmm6
	vpbroadcastd	-4(%rax), %zmm3
	vfmadd231ps	%zmm1, %zmm3, %zmm5
	vfmadd231ps	%zmm0, %zmm3, %zmm4
	cmpq	%r9, %r12
	jne	.L3937
	kortestb	%k0, %k0
	jne	.L3938
	vaddps	(%rdx), %zmm11, %zmm11
	vaddps	64(%rdx), %zmm10, %zmm10
	vaddps	128(%rdx), %zmm9, %zmm9
	vaddps	192(%rdx), %zmm8, %zmm8
	vaddps	256(%rdx), %zmm7, %zmm7
	vaddps	320(%rdx), %zmm6, %zmm6
	vaddps	384(%rdx), %zmm5, %zmm5
	vmovups	%zmm11, (%rdx)
	vaddps	448(%rdx), %zmm4, %zmm4
	vmovups	%zmm10, 64(%rdx)
	vmovups	%zmm9, 128(%rdx)
	vmovups	%zmm8, 192(%rdx)
	vmovups	%zmm7, 256(%rdx)
	vmovups	%zmm6, 320(%rdx)
	vmovups	%zmm5, 384(%rdx)
.L4175:
	subq	$-128, %rbx
	addq	$8192, %r14
	vmovups	%zmm4, 448(%rdx)
	cmpq	%rbx, %rdi
	jle	.L4126
	kxorb	%k0, %k0, %k0
	jmp	.L3941
.L3938:
	vaddps	%zmm2, %zmm11, %zmm11
	vaddps	%zmm2, %zmm10, %zmm10
	vaddps	%zmm2, %zmm9, %zmm9
	vaddps	%zmm2, %zmm8, %zmm8
	vaddps	%zmm2, %zmm7, %zmm7
	vaddps	%zmm2, %zmm6, %zmm6
	vaddps	%zmm2, %zmm5, %zmm5
	vaddps	%zmm2, %zmm4, %zmm4
	vmovups	%zmm11, (%rdx)
	vmovups	%zmm10, 64(%rdx)
	vmovups	%zmm9, 128(%rdx)
	vmovups	%zmm8, 192(%rdx)
	vmovups	%zmm7, 256(%rdx)
	vmovups	%zmm6, 320(%rdx)
	vmovups	%zmm5, 384(%rdx)
	jmp	.L4175
.L4127:
	vmovq	%xmm14, %r11
	jmp	.L3795
.L3963:
	xorl	%r8d, %r8d
	leaq	160(%rsp), %rdx
	leaq	224(%rsp), %rbx
	vpxor	%xmm0, %xmm0, %xmm0
	testq	%rsi, %rsi
	jg	.L3967
	jmp	.L4152
	.p2align 4,,10
	.p2align 3
.L3986:
	movq	224(%rsp), %rax
	movq	96(%rax), %r12
	movq	232(%rsp), %rax
.L3967:
	movq	%r14, %rcx
	movl	$16, %esi
	movq	%rdx, %rdi
	vmovdqu8	%zmm0, 160(%rsp)
	subq	%r8, %rcx
	cmpq	%rsi, %rcx
	cmovg	%rsi, %rcx
	addq	%r8, %rax
	leaq	(%r12,%rax,4), %rsi
	leaq	0(,%rcx,4), %r9
	cmpl	$8, %r9d
	jb	.L3982
	movl	%r9d, %ecx
	shrl	$3, %ecx
	rep movsq
.L3982:
	andl	$4, %r9d
	je	.L3985
	movl	(%rsi), %eax
	movl	%eax, (%rdi)
.L3985:
	vmovups	160(%rsp), %zmm7
	vmovups	%zmm7, 24(%rbx,%r8,4)
	movq	240(%rsp), %r14
	addq	$16, %r8
	cmpq	%r8, %r14
	jg	.L3986
	movq	224(%rsp), %rcx
	jmp	.L3961
.L3990:
	testq	%rax, %rax
	jle	.L3993
	leaq	-1(%r14), %rax
	movq	232(%rsp), %rdx
	movq	%r13, 96(%rsp)
	xorl	%r12d, %r12d
	movq	%r13, 152(%rsp)
	leaq	0(,%r14,4), %rsi
	movq	%rax, 136(%rsp)
	movq	%r15, 120(%rsp)
	movq	%r12, %r15
	movq	%r14, %r12
	movq	%rdx, %r14
.L4007:
	movq	(%r10), %rax
	movq	40(%rcx), %rdi
	movq	120(%rcx), %r9
	addq	%r15, %rax
	testq	%rdi, %rdi
	je	.L4005
	movq	(%rdi,%rax,8), %rax
.L4005:
	imulq	72(%rcx), %rax
	addq	%r14, %rax
	leaq	(%r9,%rax,4), %rdi
	testq	%r12, %r12
	jle	.L4013
	leaq	(%rdi,%rsi), %r9
	movq	%r15, 88(%rsp)
	movl	$15, %ebx
	movq	136(%rsp), %r13
	leaq	160(%rsp), %rax
	movq	%rsi, 80(%rsp)
	movq	%r9, %r15
	andq	$-16, %r13
	movq	%rax, 144(%rsp)
	addq	$31, %r13
	jmp	.L4012
.L4213:
	addq	$16, %rbx
	vmovups	%zmm0, (%rdi)
	addq	$64, %rdi
	cmpq	%rbx, %r13
	je	.L4212
.L4012:
	movq	152(%rsp), %rax
	cmpq	$0, 112(%rcx)
	vmovups	-60(%rax,%rbx,4), %zmm0
	je	.L4008
	vmulps	316(%rsp,%rbx,4), %zmm0, %zmm0
.L4008:
	cmpq	$0, 96(%rcx)
	je	.L4009
	vaddps	188(%rsp,%rbx,4), %zmm0, %zmm0
.L4009:
	cmpq	%rbx, %r12
	jg	.L4213
	movq	%r10, 56(%rsp)
	movq	144(%rsp), %rsi
	movq	%r15, %rdx
	movq	%r11, 64(%rsp)
	subq	%rdi, %rdx
	movq	%rcx, 72(%rsp)
	vmovups	%zmm0, 160(%rsp)
	vzeroupper
	call	memcpy@PLT
	addq	$16, %rbx
	movq	56(%rsp), %r10
	movq	%rax, %rdi
	movq	64(%rsp), %r11
	movq	72(%rsp), %rcx
	vxorps	%xmm2, %xmm2, %xmm2
	addq	$64, %rdi
	cmpq	%rbx, %r13
	jne	.L4012
.L4212:
	movq	88(%rsp), %r15
	movq	80(%rsp), %rsi
.L4013:
	subq	$-128, 152(%rsp)
	addq	$1, %r15
	cmpq	8(%r10), %r15
	jl	.L4007
	movq	120(%rsp), %r15
	movq	96(%rsp), %r13
	jmp	.L3993
.L3989:
	testq	%rax, %rax
	jle	.L3993
	leaq	-1(%r14), %rax
	movq	%r13, 96(%rsp)
	xorl	%r12d, %r12d
	leaq	(%r14,%r14), %rsi
	movq	%r13, 152(%rsp)
	movq	232(%rsp), %rdx
	movq	%rax, 136(%rsp)
	movq	%r15, 120(%rsp)
	movq	%r12, %r15
	movq	%r14, %r12
	movq	%rsi, %r14
.L3997:
	movq	(%r10), %rax
	movq	40(%rcx), %rdi
	movq	120(%rcx), %r9
	addq	%r15, %rax
	testq	%rdi, %rdi
	je	.L3995
	movq	(%rdi,%rax,8), %rax
.L3995:
	imulq	72(%rcx), %rax
	addq	%rdx, %rax
	leaq	(%r9,%rax,2), %rdi
	testq	%r12, %r12
	jle	.L4003
	leaq	(%rdi,%r14), %r9
	movq	%r15, 88(%rsp)
	movl	$15, %ebx
	movq	136(%rsp), %r13
	leaq	160(%rsp), %rax
	movq	%rdx, 80(%rsp)
	movq	%r9, %r15
	andq	$-16, %r13
	movq	%rax, 144(%rsp)
	addq	$31, %r13
	jmp	.L4002
.L4215:
	addq	$16, %rbx
	vcvtps2ph	$8, %zmm0, %ymm0
	addq	$32, %rdi
	vmovdqu	%ymm0, -32(%rdi)
	cmpq	%rbx, %r13
	je	.L4214
.L4002:
	movq	152(%rsp), %rax
	cmpq	$0, 112(%rcx)
	vmovups	-60(%rax,%rbx,4), %zmm0
	je	.L3998
	vmulps	316(%rsp,%rbx,4), %zmm0, %zmm0
.L3998:
	cmpq	$0, 96(%rcx)
	je	.L3999
	vaddps	188(%rsp,%rbx,4), %zmm0, %zmm0
.L3999:
	cmpq	%rbx, %r12
	jg	.L4215
	movq	%r10, 56(%rsp)
	movq	144(%rsp), %rsi
	movq	%r15, %rdx
	vcvtps2ph	$8, %zmm0, 160(%rsp)
	movq	%r11, 64(%rsp)
	subq	%rdi, %rdx
	movq	%rcx, 72(%rsp)
	vzeroupper
	call	memcpy@PLT
	addq	$16, %rbx
	movq	56(%rsp), %r10
	movq	%rax, %rdi
	movq	64(%rsp), %r11
	movq	72(%rsp), %rcx
	vxorps	%xmm2, %xmm2, %xmm2
	addq	$32, %rdi
	cmpq	%rbx, %r13
	jne	.L4002
.L4214:
	movq	88(%rsp), %r15
	movq	80(%rsp), %rdx
.L4003:
	subq	$-128, 152(%rsp)
	addq	$1, %r15
	cmpq	8(%r10), %r15
	jl	.L3997
	movq	120(%rsp), %r15
	movq	96(%rsp), %r13
	jmp	.L3993
.L3962:
	xorl	%ecx, %ecx
	leaq	160(%rsp), %rdx
	leaq	224(%rsp), %rbx
	vpxor	%xmm0, %xmm0, %xmm0
	testq	%rsi, %rsi
	jle	.L4152
	movq	%r14, %rsi
	jmp	.L3966
.L3968:
	xorl	%edi, %edi
	testb	$4, %sil
	je	.L3971
	movl	(%rax), %edi
	movl	%edi, (%r8)
	movl	$4, %edi
.L3971:
	andl	$2, %esi
	je	.L3973
	movzwl	(%rax,%rdi), %eax
	movw	%ax, (%r8,%rdi)
.L3973:
	vcvtph2ps	160(%rsp), %zmm1
	vmovups	%zmm1, 24(%rbx,%rcx,4)
	addq	$16, %rcx
	movq	240(%rsp), %rsi
	cmpq	%rcx, %rsi
	jle	.L4150
	movq	224(%rsp), %rax
	movq	96(%rax), %r12
	movq	232(%rsp), %rax
.L3966:
	movl	$16, %edi
	subq	%rcx, %rsi
	movq	%rdx, %r8
	vmovdqa	%ymm0, 160(%rsp)
	cmpq	%rdi, %rsi
	cmovg	%rdi, %rsi
	addq	%rcx, %rax
	leaq	(%r12,%rax,2), %rdi
	addq	%rsi, %rsi
	movq	%rdi, %rax
	cmpl	$8, %esi
	jb	.L3968
	movl	%esi, %r9d
	xorl	%eax, %eax
	andl	$-8, %r9d
.L3969:
	movl	%eax, %r8d
	addl	$8, %eax
	movq	(%rdi,%r8), %r12
	movq	%r12, (%rdx,%r8)
	cmpl	%r9d, %eax
	jb	.L3969
	leaq	(%rdx,%rax), %r8
	addq	%rdi, %rax
	jmp	.L3968
.L4017:
	movq	%r11, %rcx
	jmp	.L3961
.L4196:
	movq	%r9, 96(%rsp)
	xorl	%ebx, %ebx
	xorl	%r14d, %r14d
	kmovb	%r15d, %k0
	movb	%r15b, 136(%rsp)
	movq	%r13, 88(%rsp)
	movq	%r10, %r13
	movq	%r8, %r10
	movq	%rsi, %r8
	movq	%rcx, %rsi
.L3958:
	movq	%rdi, %rax
	leaq	(%r8,%rbx), %r15
	leaq	(%r10,%rbx), %r12
	movl	$128, %ecx
	subq	%r14, %rax
	vxorps	%xmm0, %xmm0, %xmm0
	leaq	(%rsi,%r14,4), %r9
	cmpq	%rcx, %rax
	vmovaps	%zmm0, %zmm1
	cmovg	%rcx, %rax
	addq	%r14, %rax
	leaq	(%rsi,%rax,4), %rax
.L3954:
	vpbroadcastd	(%r9), %zmm3
	addq	$4, %r9
	prefetcht1	(%r15)
	vcvtph2ps	(%r12), %zmm5
	vcvtph2ps	32(%r12), %zmm4
	addq	$64, %r15
	addq	$64, %r12
	vfmadd231ps	%zmm5, %zmm3, %zmm1
	vfmadd231ps	%zmm4, %zmm3, %zmm0
	cmpq	%r9, %rax
	jne	.L3954
	kortestb	%k0, %k0
	je	.L4216
	vaddps	%zmm2, %zmm1, %zmm1
	vaddps	%zmm2, %zmm0, %zmm0
	vmovups	%zmm1, (%rdx)
.L4181:
	subq	$-128, %r14
	vmovups	%zmm0, 64(%rdx)
	addq	$8192, %rbx
	cmpq	%r14, %rdi
	jle	.L4129
	kxorb	%k0, %k0, %k0
	jmp	.L3958
.L4216:
	vaddps	(%rdx), %zmm1, %zmm1
	vaddps	64(%rdx), %zmm0, %zmm0
	vmovups	%zmm1, (%rdx)
	jmp	.L4181
.L4195:
	movb	%r15b, 96(%rsp)
	leaq	32(%r8), %rax
	xorl	%ebx, %ebx
	xorl	%r14d, %r14d
	movq	%r13, 88(%rsp)
	vmovq	%rax, %xmm8
	movq	%r10, %r13
	movq	%r9, %r10
	movq	%r8, 136(%rsp)
	movq	%rsi, %r9
	movq	%rcx, %rsi
	kmovb	%r15d, %k0
.L3953:
	vmovq	%xmm8, %rax
	movl	$128, %ecx
	vxorps	%xmm0, %xmm0, %xmm0
	leaq	(%rax,%rbx), %r12
	movq	%rdi, %rax
	leaq	(%r9,%rbx), %r15
	subq	%r14, %rax
	leaq	(%rsi,%r14,8), %r8
	vmovaps	%zmm0, %zmm1
	cmpq	%rcx, %rax
	vmovaps	%zmm0, %zmm3
	vmovaps	%zmm0, %zmm4
	cmovg	%rcx, %rax
	addq	%r14, %rax
	leaq	(%rsi,%rax,8), %rax
.L3949:
	vpbroadcastd	(%r8), %zmm6
	addq	$8, %r8
	prefetcht1	(%r15)
	addq	$64, %r12
	vcvtph2ps	-96(%r12), %zmm7
	vcvtph2ps	-64(%r12), %zmm5
	addq	$64, %r15
	vfmadd231ps	%zmm7, %zmm6, %zmm4
	vfmadd231ps	%zmm5, %zmm6, %zmm3
	vpbroadcastd	-4(%r8), %zmm6
	vfmadd231ps	%zmm7, %zmm6, %zmm1
	vfmadd231ps	%zmm5, %zmm6, %zmm0
	cmpq	%rax, %r8
	jne	.L3949
	kortestb	%k0, %k0
	jne	.L3950
	vaddps	(%rdx), %zmm4, %zmm4
	vaddps	64(%rdx), %zmm3, %zmm3
	vaddps	128(%rdx), %zmm1, %zmm1
	vaddps	192(%rdx), %zmm0, %zmm0
	vmovups	%zmm4, (%rdx)
	vmovups	%zmm3, 64(%rdx)
	vmovups	%zmm1, 128(%rdx)
.L4179:
	subq	$-128, %r14
	addq	$8192, %rbx
	vmovups	%zmm0, 192(%rdx)
	cmpq	%r14, %rdi
	jle	.L4128
	kxorb	%k0, %k0, %k0
	jmp	.L3953
.L4129:
	movq	%r10, %r8
	movq	96(%rsp), %r9
	movq	%r13, %r10
	movzbl	136(%rsp), %r15d
	movq	88(%rsp), %r13
	jmp	.L3795
.L4128:
	movq	%r10, %r9
	movzbl	96(%rsp), %r15d
	movq	%r13, %r10
	movq	136(%rsp), %r8
	movq	88(%rsp), %r13
	jmp	.L3795
.L3950:
	vaddps	%zmm2, %zmm4, %zmm4
	vaddps	%zmm2, %zmm3, %zmm3
	vaddps	%zmm2, %zmm1, %zmm1
	vaddps	%zmm2, %zmm0, %zmm0
	vmovups	%zmm4, (%rdx)
	vmovups	%zmm3, 64(%rdx)
	vmovups	%zmm1, 128(%rdx)
	jmp	.L4179
.L4152:
	movq	%r11, %rcx
	jmp	.L3965
	.cfi_endproc
.LFE7135:
	.size	_ZN10torchpaged12_GLOBAL__N_120multiply_panels_withINS0_8FloatDotINS0_13SingleWeightsINS0_7Float16EEEEEEEvRKNS_12LinearParamsERKNS_8RowBlockEPKcllPc, .-_ZN10torchpaged12_GLOBAL__N_120multiply_panels_withINS0_8FloatDotINS0_13SingleWeightsINS0_7Float16EEEEEEEvRKNS_12LinearParamsERKNS_8RowBlockEPKcllPc
	.p2align 4
	.type	_ZN10torchpaged12_GLOBAL__N_113scratch_bytesERKNS_15AttentionParamsE, @function
_ZN10torchpaged12_GLOBAL__N_113scratch_bytesERKNS_15AttentionParamsE:
.LFB6931:
	.cfi_startproc
	cmpl	$2, 24(%rdi)
	movl	260(%rdi), %r8d
	movl	264(%rdi), %esi
	je	.L4224
	movslq	%esi, %rdx
	movq	%rdx, %rcx
	leaq	30(%rdx), %rax
	addq	$15, %rcx
	cmovns	%rcx, %rax
	movslq	%r8d, %rcx
	sarq	$4, %rax
	leaq	(%rax,%rax,2), %rsi
	salq	$11, %rsi
	leaq	63(%rsi), %r8
	sarq	$63, %rsi
	shrq	$58, %rsi
	movq	%r8, %r9
	leaq	(%r8,%rsi), %rdi
	andl	$63, %edi
	subq	%rsi, %rdi
	leaq	(%rcx,%rcx,2), %rsi
	salq	$7, %rsi
	subq	%rdi, %r9
	leaq	63(%rsi), %r8
	sarq	$63, %rsi
	shrq	$58, %rsi
	leaq	(%r8,%r